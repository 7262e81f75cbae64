/* picture - policies compared on the same jobs, as an SVG: wait times, and the utilisation of the cluster. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/summary.h"

#define WIDE 860
#define HIGH 620
#define LEFT 60
#define RIGHT 840
#define POINTS 160

static const char *const colours[] = { "#8a8a8a", "#d08a2e", "#3b74c4", "#2e9e5b", "#b0457b", "#6a4fb3" };

static const char *series_colour(size_t i)
{
    return colours[i % ARRAY_LEN(colours)];
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Waits of a minute to a thousand hours, on a logarithmic scale. */
static double wait_x(double hours)
{
    double t = (log10(MAX(hours, 1.0 / 60)) - log10(1.0 / 60)) / (3 - log10(1.0 / 60));
    return LEFT + MIN(t, 1.0) * (RIGHT - LEFT);
}

static void draw_waits(FILE *f, const struct drive_conf *conf, const struct drive_out *out, size_t which)
{
    size_t n = 0;
    auto_free double *w = mem_array(conf->trace->job.n + 1, sizeof(*w));
    for (size_t i = 0; i < conf->trace->job.n; i++)
        if (out->job[i].end_s >= 0)
            w[n++] = (double)(out->job[i].end_s - conf->trace->job.at[i].arrive_s - conf->trace->job.at[i].run_s) /
                     3600;
    qsort(w, n, sizeof(*w), by_value);
    fprintf(f, "<polyline fill='none' stroke='%s' stroke-width='2' points='", series_colour(which));
    for (size_t i = 0; i <= POINTS && n; i++) {
        double q = (double)i / POINTS;
        fprintf(f, "%.1f,%.1f ", wait_x(w[MIN((size_t)(q * (double)n), n - 1)]), 280 - 230 * q);
    }
    fprintf(f, "'/>\n");
}

static void draw_use(FILE *f, const struct drive_conf *conf, const struct drive_out *out, size_t which)
{
    double all = (double)conf->nodes * (conf->gpus ? conf->gpus : conf->cpus);
    double last = conf->trace->job.n ? (double)conf->trace->job.at[conf->trace->job.n - 1].arrive_s : 1;
    size_t step = out->sample.n / POINTS + 1;
    fprintf(f, "<polyline fill='none' stroke='%s' stroke-width='1.5' points='", series_colour(which));
    for (size_t i = 0; i + step <= out->sample.n && (double)out->sample.at[i].at_s <= last; i += step) {
        double sum = 0;
        for (size_t k = 0; k < step; k++)
            sum += out->sample.at[i + k].busy;
        fprintf(f, "%.1f,%.1f ", LEFT + (double)out->sample.at[i].at_s / MAX(last, 1) * (RIGHT - LEFT),
                560 - 200 * sum / (double)step / all);
    }
    fprintf(f, "'/>\n");
}

static void draw_frame(FILE *f)
{
    static const struct {
        double hours;
        const char *name;
    } marks[] = { { 1.0 / 60, "1 min" }, { 1.0 / 6, "10 min" }, { 1, "1 h" },
                  { 10, "10 h" },        { 100, "100 h" },      { 1000, "1000 h" } };
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' font-size='13'>\n"
            "<rect width='%d' height='%d' fill='white'/>\n"
            "<text x='%d' y='30' font-weight='bold'>Share of jobs that waited no longer than ...</text>\n"
            "<text x='%d' y='340' font-weight='bold'>Share of the cluster in use, from the first arrival to the "
            "last</text>\n",
            WIDE, HIGH, WIDE, HIGH, LEFT, LEFT);
    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        fprintf(f,
                "<line x1='%.1f' y1='50' x2='%.1f' y2='280' stroke='#e4e4e4'/><text x='%.1f' y='298' "
                "text-anchor='middle'>%s</text>\n",
                wait_x(marks[i].hours), wait_x(marks[i].hours), wait_x(marks[i].hours), marks[i].name);
    for (int i = 0; i <= 4; i++) {
        double up = 280 - 57.5 * i, down = 560 - 50.0 * i;
        fprintf(f,
                "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#e4e4e4'/><text x='%d' y='%.1f' "
                "text-anchor='end'>%d %%</text>\n",
                LEFT, up, RIGHT, up, LEFT - 8, up + 4, 25 * i);
        fprintf(f,
                "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#e4e4e4'/><text x='%d' y='%.1f' "
                "text-anchor='end'>%d %%</text>\n",
                LEFT, down, RIGHT, down, LEFT - 8, down + 4, 25 * i);
    }
}

void summary_svg(FILE *f, const struct summary *s, const struct drive_conf *conf, const struct drive_out *out, size_t n)
{
    draw_frame(f);
    for (size_t i = 0; i < n; i++) {
        draw_waits(f, conf, &out[i], i);
        draw_use(f, conf, &out[i], i);
        fprintf(f, "<text x='%d' y='600' fill='%s'>%s: mean %.1f h</text>\n", LEFT + 200 * (int)i, series_colour(i),
                s[i].name, s[i].mean_h);
    }
    fprintf(f, "</svg>\n");
}
