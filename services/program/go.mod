module wiregauge/services/program

go 1.26.0
