sub -o /dev/null -H --delay-boot 10 --wrap true
show_keys 'DelayBoot' scontrol show job "$JOB"
show squeue -h -j "$JOB" -O DelayBoot
put --delay-boot x
put --delay-boot 0
put --delay-boot -1
put --delay-boot 1-00:00:00
