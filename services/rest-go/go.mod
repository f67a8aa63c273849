module wiregauge/services/rest-go

go 1.26.0

replace wiregauge/services/program => ../program

require wiregauge/services/program v0.0.0
