show scontrol show licenses
show scontrol show licenses matlab
show scontrol show lic ansys
show scontrol show licenses nosuch
show scontrol -o show licenses
show_keys 'Licenses|LicensesAlloc' scontrol show config
