/* reload - reads the files of the configuration; see reload.h. */
#include "ctl/reload.h"

#include "base/log.h"
#include "ctl/daemon_priv.h"
#include "io/keys.h"
#include "text/site_gres.h"
#include "text/topology.h"

int reload_files(struct site **out, const char *path, struct err *err)
{
    int rc = site_load(out, path, err);
    if (!rc && ((rc = topo_load(*out, err)) || (rc = site_gres_load(*out, err)))) {
        site_free(*out);
        *out = NULL;
    }
    return rc;
}

struct site *reload_site(struct daemon *d)
{
    struct err err = ERR_INIT;
    struct site *site = NULL;
    if (!reload_files(&site, d->conf->conf_path, &err))
        return site;
    log_error("leading with the configuration of the start, the file has a mistake now: %s", err.text);
    return NULL;
}

int reload_keys(struct daemon *d, struct err *err)
{
    return d->key.trust ? keys_reload(&d->key, err) : 0;
}

void reload_reconfigure(struct daemon *d, uint64_t session, uint64_t number)
{
    struct err err = ERR_INIT;
    struct site *site;
    int rc = reload_keys(d, &err);
    if (!rc)
        rc = reload_files(&site, d->conf->conf_path, &err);
    if (!rc)
        rc = ctl_reconfigure(d->ctl, site, &err);
    if (rc)
        log_error("reconfigure refused: %s", err.text);
    else
        log_info("reconfigured");
    if (session)
        ctl_answer(d->ctl, session, number, rc, err.text);
}

static void log_unused(void *arg, const char *key, const char *file, uint32_t line)
{
    log_info("%s:%u: %s is known, but this release of Spur does not act on it", file, line, key);
}

static void log_warning(void *arg, const char *sentence)
{
    log_error("%s", sentence);
}

void reload_warnings(const struct site *site)
{
    conf_unused(site, log_unused, NULL);
    site_warnings(site, log_warning, NULL);
    topo_warnings(site, log_warning, NULL);
}
