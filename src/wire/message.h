/*
 * message - the types of message, each with the protobuf it carries.
 */
#ifndef SPUR_WIRE_MESSAGE_H
#define SPUR_WIRE_MESSAGE_H

#include "message.pb-c.h"

/* clang-format off */
#define MSG_TYPES(X) \
    X(MSG_CHALLENGE,      1, challenge)       /* server -> TCP client, first of all */ \
    X(MSG_HELLO,          2, hello)           /* the answer: an identity, signed */ \
    X(MSG_CRED,           3, cred_request)    /* to the local daemon's Unix socket */ \
    X(MSG_CRED_REPLY,     4, cred_reply) \
    X(MSG_FAILURE,        5, failure) \
    X(MSG_REDIRECT,       6, redirect) \
    X(MSG_DONE,           7, done) \
    X(MSG_PING,           8, done)            /* empty: is the controller there?  See io/liveness.h */ \
    X(MSG_PONG,           9, done)            /* empty */ \
    X(MSG_RELAY,        108, relay)           /* daemon -> controller: the next frames are this user's */ \
    X(MSG_SUBMIT,        10, submit_request) \
    X(MSG_SUBMIT_REPLY,  11, submit_reply) \
    X(MSG_START_REPLY,   12, start_reply) \
    X(MSG_STEP,          13, step_request) \
    X(MSG_STEP_REPLY,    14, step_reply) \
    X(MSG_JOB_DONE,      15, job_done_request) \
    X(MSG_WAIT,          16, wait_request) \
    X(MSG_WAIT_REPLY,    17, wait_reply) \
    X(MSG_JOBS,          20, job_query) \
    X(MSG_JOBS_REPLY,    21, job_list) \
    X(MSG_NODES,         22, node_query) \
    X(MSG_NODES_REPLY,   23, node_list) \
    X(MSG_PARTS,         24, part_query) \
    X(MSG_PARTS_REPLY,   25, part_list) \
    X(MSG_CLUSTER,       26, node_query) \
    X(MSG_CLUSTER_REPLY, 27, cluster_list) \
    X(MSG_CONFIG,        28, done)            /* empty */ \
    X(MSG_CONFIG_REPLY,  29, config_reply) \
    X(MSG_SCRIPT,        30, script_request) \
    X(MSG_SCRIPT_REPLY,  31, script_reply) \
    X(MSG_STATUS,        32, done)            /* empty; answered by any controller about itself */ \
    X(MSG_STATUS_REPLY,  33, status_reply) \
    X(MSG_WHY,           34, why_request) \
    X(MSG_WHY_REPLY,     35, why_reply) \
    X(MSG_PRIO,          36, job_query) \
    X(MSG_PRIO_REPLY,    37, prio_reply) \
    X(MSG_DIAG,          38, diag_request) \
    X(MSG_DIAG_REPLY,    39, diag_reply) \
    X(MSG_CANCEL,        40, cancel_request) \
    X(MSG_CANCEL_REPLY,  41, cancel_reply) \
    X(MSG_JOB_OP,        42, job_op_request) \
    X(MSG_JOB_OP_REPLY,  43, job_op_reply) \
    X(MSG_UPDATE,        44, update_request)  /* answered by MSG_DONE */ \
    X(MSG_RECONFIGURE,   45, done) \
    X(MSG_SHUTDOWN,      46, done) \
    X(MSG_TAKEOVER,      47, done) \
    X(MSG_RESVS,         48, part_query)      /* reservations, all or by name */ \
    X(MSG_RESVS_REPLY,   49, resv_list) \
    X(MSG_PERMIT,        50, permit_request)  /* to the controller: may I go to the nodes of this job? */ \
    X(MSG_PERMIT_REPLY,  51, permit_reply) \
    X(MSG_LICENSES,      52, license_query) \
    X(MSG_LICENSES_REPLY,53, license_list) \
    X(MSG_TOPOLOGY,      54, topology_query) \
    X(MSG_TOPOLOGY_REPLY,55, topology_list) \
    X(MSG_REGISTER,      60, register_request) \
    X(MSG_REGISTER_REPLY,61, register_reply) \
    X(MSG_HEARTBEAT,     62, heartbeat) \
    X(MSG_HEARTBEAT_REPLY,68, heartbeat_reply) \
    X(MSG_LAUNCH,        63, signed)          /* a LaunchOrder inside */ \
    X(MSG_LAUNCH_REPLY,  64, launch_reply) \
    X(MSG_KILL,          65, kill_order) \
    X(MSG_REPORT,        66, report) \
    X(MSG_REPORT_ACK,    67, report_ack) \
    X(MSG_FANOUT,        70, fanout)          /* controller -> agent -> agents */ \
    X(MSG_FANOUT_REPLY,  71, fanout_reply) \
    X(MSG_REPORTS,       72, reports)         /* agents -> agent -> controller */ \
    X(MSG_REPORTS_ACK,   73, reports_ack) \
    X(MSG_ASSOC_LOAD,   56, assoc_load) \
    X(MSG_ASSOC_LOADED, 57, assoc_loaded) \
    X(MSG_ASSOC,        58, assoc_query) \
    X(MSG_ASSOC_REPLY,  59, assoc_reply) \
    X(MSG_HISTORY,      110, history_query) \
    X(MSG_HISTORY_REPLY,111, history_rows) \
    X(MSG_STAT,         100, stat_request)    /* to an agent, and on to its supervisors */ \
    X(MSG_STAT_REPLY,   101, stat_reply) \
    X(MSG_ATTACH,       102, attach_request)  /* answered by MSG_DONE */ \
    X(MSG_BCAST_OPEN,   103, bcast_open)      /* this and the next two answered by MSG_BCAST_REPLY */ \
    X(MSG_BCAST_DATA,   104, bcast_data) \
    X(MSG_BCAST_CLOSE,  105, bcast_close) \
    X(MSG_BCAST_REPLY,  106, bcast_reply) \
    X(MSG_BCAST_AS,     107, bcast_as) \
    X(MSG_IO_HELLO,      80, io_hello) \
    X(MSG_IO_DATA,       81, io_data) \
    X(MSG_IO_EXIT,       82, io_exit) \
    X(MSG_IO_SIGNAL,     83, io_signal) \
    X(MSG_IO_WELCOME,    84, io_ack)          /* srun's first word on each connection */ \
    X(MSG_IO_ACK,        85, io_ack) \
    X(MSG_IO_WINDOW,     86, io_window)       /* the terminal of --pty has another size */ \
    X(MSG_MPI,           95, mpi)             /* between the MPI servers of a step's nodes and srun */
/* clang-format on */

enum msg_type {
#define X(name, number, body) name = number,
    MSG_TYPES(X)
#undef X
};

const char *msg_name(enum msg_type type);                             /* "SUBMIT"; "?" when unknown */
const ProtobufCMessageDescriptor *msg_descriptor(enum msg_type type); /* NULL when unknown */

#endif
