module wiregauge/services/users/go-rest

go 1.26.0

replace wiregauge/services/lib/program => ../../lib/program

require wiregauge/services/lib/program v0.0.0
