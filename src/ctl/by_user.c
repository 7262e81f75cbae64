/* by_user - whose jobs are whose; see by_user.h. */
#include "ctl/by_user.h"

struct by_user {
    struct map of; /* uid + 1 -> struct user_jobs */
    bool made;
};

struct by_user *by_user_new(void)
{
    return NEW(struct by_user);
}

static void add_list(struct by_user *b, const struct joblist *jobs)
{
    struct user_jobs *last = NULL;
    uint32_t last_uid = 0;
    for (struct job *j = jobs->head; j; j = j->next) {
        struct user_jobs *u = last && last_uid == j->uid ? last : map_get(&b->of, (uint64_t)j->uid + 1);
        if (!u) {
            u = NEW(struct user_jobs);
            map_put(&b->of, (uint64_t)j->uid + 1, u);
        }
        vec_push(&u->v, j);
        last = u;
        last_uid = j->uid;
    }
}

const struct user_jobs *by_user_find(struct by_user *b, const struct cluster *c, uint32_t uid)
{
    if (!b->made) {
        add_list(b, &c->pending);
        add_list(b, &c->active);
        add_list(b, &c->done);
        b->made = true;
    }
    return map_get(&b->of, (uint64_t)uid + 1);
}

void by_user_free(struct by_user *b)
{
    size_t pos = 0;
    if (!b)
        return;
    for (struct user_jobs *u; (u = map_next(&b->of, &pos, NULL));) {
        vec_clear(&u->v);
        free(u);
    }
    map_clear(&b->of);
    free(b);
}
