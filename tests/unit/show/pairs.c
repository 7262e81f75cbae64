/* pairs: scontrol's lines follow the layout; what the layout does not name comes last. */
#include "sample.h"
#include "test.h"

static void check(const struct sample *row, bool one_line, bool detail, const char *want, const char *name)
{
    struct show_pairs p;
    struct buf out = BUF_INIT;
    show_pairs_init(&p, &sample_table, one_line, detail);
    show_pairs_row(&p, row, &out);
    is_str(out.s, want, "%s", name);
    show_pairs_clear(&p);
    buf_clear(&out);
}

int main(void)
{
    setenv("TZ", "UTC", 1);
    check(&full, false, false,
          "Id=42 Name=ada\n   Words=x,y[1,2]\n   Start=1970-01-01T01:00:00\n   Limit=01:30:00 Ran=00:01:01\n"
          "   Memory=2G Code=0:9 Load=1.00\n   Comment=a \"b\"\n\xc3\xa4\xff\n\n",
          "lines; a key that the layout does not name is last");
    check(&full, false, true,
          "Id=42 Name=ada\n   Words=x,y[1,2] Up=yes\n   Start=1970-01-01T01:00:00\n   Limit=01:30:00 Ran=00:01:01\n"
          "     one\n     two\n   Memory=2G Code=0:9 Load=1.00\n   Comment=a \"b\"\n\xc3\xa4\xff\n\n",
          "with --details");
    check(&empty, false, true,
          "Id=0 Name=(null)\n   Up=NO\n   Limit=UNLIMITED Ran=00:00:00\n   Memory=0 Code=0:0 Load=0.00\n\n",
          "what is unset and optional is left out, with its line");
    check(&empty, true, false,
          "Id=0 Name=(null) Limit=UNLIMITED Ran=00:00:00 Memory=0 Code=0:0 Load=0.00\n", "one line");
    return test_done();
}
