/* scripts - the controller's own scripts around a job; see scripts.h. */
#include "ctl/scripts.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "text/strs.h"
#include "wire/hook_env.h"

#define NO_LIMIT 65534u

struct running {
    uv_process_t process;
    uv_timer_t timer;
    struct ctl_script script;
    struct buf paths; /* with a NUL each */
    size_t at;        /* the next one */
    scripts_done_fn *done;
    void *arg;
    int status, open; /* handles that are not closed yet */
    uint64_t limit_ms;
};

static void scripts_next(struct running *r);

static void scripts_closed(uv_handle_t *h)
{
    struct running *r = h->data;
    if (--r->open)
        return;
    if (!r->status && r->at < r->paths.len) {
        scripts_next(r);
        return;
    }
    if (!r->script.resv)
        r->done(r->arg, &r->script, r->status);
    else if (r->status)
        log_error("%s failed reservation=%s status=%d", r->script.epilog ? "ResvEpilog" : "ResvProlog", r->script.resv,
                  r->status);
    buf_clear(&r->paths);
    buf_clear(&r->script.env);
    free(r->script.resv);
    free(r->script.fence);
    free(r);
}

static void scripts_over(struct running *r, int status)
{
    r->status = status;
    uv_close((uv_handle_t *)&r->timer, scripts_closed);
    uv_close((uv_handle_t *)&r->process, scripts_closed);
}

static void scripts_exited(uv_process_t *p, int64_t status, int signo)
{
    scripts_over(p->data, signo ? 128 + signo : (int)status);
}

static void too_long(uv_timer_t *h)
{
    struct running *r = h->data;
    const char *resv = r->script.resv;
    log_error("a script of the controller took too long and is killed %s%s job=%u pid=%d", resv ? "reservation=" : "",
              resv ? resv : "", r->script.job_id, r->process.pid);
    kill(-r->process.pid, SIGKILL);
}

static void scripts_next(struct running *r)
{
    char *path = r->paths.s + r->at, *args[] = { path, r->script.fence ? r->script.fence : r->script.resv, NULL };
    r->at += strlen(path) + 1;
    struct strs env = STRS_INIT;
    for (size_t i = 0; i < r->script.env.len; i += strlen(r->script.env.s + i) + 1)
        strs_add(&env, r->script.env.s + i);
    strs_take(&env, NULL);
    uv_process_options_t o = { .exit_cb = scripts_exited,
                               .file = path,
                               .args = args,
                               .env = env.at,
                               .cwd = "/",
                               .flags = UV_PROCESS_DETACHED };
    uv_loop_t *loop = r->timer.loop;
    r->open = 2;
    uv_timer_init(loop, &r->timer);
    int rc = uv_spawn(loop, &r->process, &o);
    env.n--; /* the NULL is not a text */
    strs_clear(&env);
    if (rc) {
        log_error("cannot run %s: %s", path, uv_strerror(rc));
        scripts_over(r, 127);
    } else if (r->limit_ms) {
        uv_timer_start(&r->timer, too_long, r->limit_ms, 0);
    }
}

void scripts_run(uv_loop_t *loop, const struct site *site, const char *conf_path, struct ctl_script *script,
                 scripts_done_fn *done, void *arg)
{
    struct running *r = NEW(struct running);
    uint16_t own = script->epilog ? site->epilog_timeout_s : site->prolog_timeout_s;
    uint16_t limit = own == NO_LIMIT ? site->prolog_epilog_timeout_s : own;
    *r = (struct running){ .script = *script, .done = done, .arg = arg };
    r->limit_ms = limit == NO_LIMIT ? 0 : (uint64_t)limit * 1000;
    r->process.data = r->timer.data = r;
    r->timer.loop = loop;
    const char *setting = script->fence    ? site->fence_program
                          : script->resv   ? site_value(site, script->epilog ? "ResvEpilog" : "ResvProlog")
                          : script->epilog ? site->epilog_slurmctld
                                           : site->prolog_slurmctld;
    hook_scripts(&r->paths, setting, conf_path);
    scripts_next(r);
}
