/* topology - the fields of a switch or block; see topology.h. */
#include "show/topology.h"

#include "base/str.h"
#include "show/row.h"

#define ROW_OF(row) ((const struct topology_row *)(row))
#define UNIT(row) (ROW_OF(row)->unit)

GET_TEXT(get_name, UNIT(row)->name)
GET_NUMBER(get_level, UNIT(row)->level)
GET_TEXT(get_speed, UNIT(row)->speed)
GET_TEXT(get_nodes, UNIT(row)->nodes)
GET_TEXT(get_switches, UNIT(row)->children)
GET_TEXT(get_block, UNIT(row)->aggregated ? NULL : UNIT(row)->name)
GET_TEXT(get_aggregated, UNIT(row)->aggregated ? UNIT(row)->name : NULL)
GET_NUMBER(get_index, ROW_OF(row)->index)
GET_NUMBER(get_size, UNIT(row)->size)

/* clang-format off */
static const struct show_field switch_fields[] = {
    ROW("SwitchName", NULL, TEXT,   get_name,     .of = "name"),
    ROW("Level",      NULL, NUMBER, get_level,    .of = "level"),
    ROW("LinkSpeed",  NULL, TEXT,   get_speed,    .of = "speed", .pair_none = "1"),
    ROW("Nodes",      NULL, TEXT,   get_nodes,    .of = "nodes"),
    ROW("Switches",   NULL, TEXT,   get_switches, .of = "children"),
    { 0 },
};
static const struct show_skip switch_skips[] = {
    { "size aggregated", "of blocks" },
    { NULL, NULL },
};

static const struct show_field block_fields[] = {
    ROW("BlockName",       NULL, TEXT,   get_block,      .of = "name"),
    ROW("AggregatedBlock", NULL, TEXT,   get_aggregated, .of = "aggregated"),
    ROW("BlockIndex",      NULL, NUMBER, get_index),
    ROW("Nodes",           NULL, TEXT,   get_nodes,      .of = "nodes", .pair_none = ""),
    ROW("BlockSize",       NULL, NUMBER, get_size,       .of = "size"),
    { 0 },
};
static const struct show_skip block_skips[] = {
    { "children speed level", "of switches" },
    { NULL, NULL },
};
/* clang-format on */

const struct show_table show_switch = {
    "switch", switch_fields, "SwitchName Level LinkSpeed ?Nodes ?Switches", switch_skips, .dense = true,
};
const struct show_table show_block = {
    "block", block_fields, "?AggregatedBlock ?BlockName BlockIndex Nodes BlockSize", block_skips, .dense = true,
};
