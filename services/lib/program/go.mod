module wiregauge/services/lib/program

go 1.26.0
