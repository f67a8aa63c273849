module wiregauge/services/streaming/go

go 1.26.0

replace wiregauge/services/lib/pb => ../../lib/pb

replace wiregauge/services/lib/program => ../../lib/program

require (
	google.golang.org/grpc v1.85.0
	wiregauge/services/lib/pb v0.0.0
	wiregauge/services/lib/program v0.0.0
)

require (
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
