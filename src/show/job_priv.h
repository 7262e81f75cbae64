/*
 * job_priv - getters of the job table that stand in files of their own.
 */
#ifndef SPUR_SHOW_JOB_PRIV_H
#define SPUR_SHOW_JOB_PRIV_H

#include "show/job.h"

#define JOB_ROW(p) ((const struct job_row *)(p))
#define JOB(p) (JOB_ROW(p)->job)
#define SPEC(p) (JOB(p)->spec)
#define GET(name) void name(struct show_value *v, const struct show_field *f, const void *row)

/* job_get.c: members of the job and of its spec (`at` is an offset), and values made of several. */
show_get_fn job_get_job_text, job_get_spec_text, job_get_job_number, job_get_spec_number, job_get_job_count,
    job_get_spec_count, job_get_spec_signed, job_get_job_amount, job_get_spec_amount, job_get_job_time,
    job_get_spec_time, job_get_job_flag, job_get_spec_flag, job_get_word, job_get_ntasks_per, job_get_id,
    job_get_tasks, job_get_task_string, job_get_throttle, job_get_array_or_id, job_get_sluid, job_get_cluster,
    job_get_task, job_get_id_order, job_get_het_set, job_get_het_offset, job_get_user, job_get_group,
    job_get_user_and_id, job_get_group_and_id, job_get_alloc_node, job_get_batch, job_get_command, job_get_file,
    job_get_file_asked, job_get_file_expanded, job_get_batch_file, job_get_state, job_get_state_code, job_get_reason,
    job_get_exit_code, job_get_hold, job_get_reason_word, job_get_reason_list, job_get_priority_share,
    job_get_elapsed, job_get_start, job_get_last_look, job_get_eligible, job_get_accrue, job_get_delay_boot,
    job_get_end, job_get_limit, job_get_left_order, job_get_left, job_get_pending_time, job_get_preempt_pair,
    job_get_pre_suspend, job_get_partition, job_get_planned_nodes, job_get_nodes, job_get_min_cpus,
    job_get_max_nodes, job_get_exclusive, job_get_shared, job_get_cpus_per_task, job_get_features, job_get_prefer,
    job_get_tres, job_get_tres_per_node, job_get_tres_per_task, job_get_gpus, job_get_switches, job_get_resv,
    job_get_max_nodes_asked, job_get_node_range, job_get_memory, job_get_memory_node, job_get_memory_cpu,
    job_get_licenses, job_get_core_spec, job_get_spec_pair, job_get_spec_number_of, job_get_sct, job_get_bsct,
    job_get_ntasks_per_nbsc, job_get_sockets_order, job_get_priority_order, job_get_per_gpu, job_get_switch_wait,
    job_get_gres_bind, job_get_kill_invalid, job_get_segment_flag, job_get_mail;

/* job_alloc.c: what the job has of its nodes. */
show_get_fn job_get_gres;         /* of all nodes: "gpu:2", "(null)"; unset without an allocation */
show_get_fn job_get_alloc_lines;  /* "Nodes=n[1-2] CPU_IDs=0-1 Mem=200 GRES=", a line for equal nodes in a row */
show_get_fn job_get_gres_detail;  /* "gpu:2(IDX:0-1)", a line for each node that has any */
show_get_fn job_get_resources;
extern const struct show_table show_job_resources;

/* job_json.c: fields that only JSON has. */
show_get_fn job_get_states;       /* "RUNNING", "COMPLETED,COMPLETING" */
show_get_fn job_get_flags; /* with `until`: without the flags of newer data_parsers */
show_get_fn job_get_state_reason, job_get_state_description;
show_get_fn job_get_shared_list;
show_get_fn job_get_billing;
show_get_fn job_get_priorities;
show_get_fn job_get_mail_types;
extern const struct show_table show_job_priority;

#endif
