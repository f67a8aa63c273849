package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bojand/ghz/protodesc"
	"github.com/bojand/ghz/runner"
	"github.com/jhump/protoreflect/dynamic"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// ghzRun is a load over gRPC that ghz's own runner sends, over connections that it opens and closes itself.
type ghzRun struct {
	pace      *punctual
	requester *runner.Requester
	records   *recorder
	// secrets is a folder with the files of TLS, which ghz requires as paths; empty if there are none.
	secrets string
}

// isForRunner is true if ghz's runner can send the load: it supports one pace for one operation, any number of connections, no network, no
// jitter, and no conditions on streams. It records a success for a stream of messages that is refused early.
func (l load) isForRunner() bool {
	t := l.Target
	return l.Fresh && !l.isOfUsers() && l.JitterSeed == nil && t.link == nil && t.Stream == nil && t.Connection.most(l.Workers, 0) == 0 &&
		t.Method != nil && !t.Method.ClientStreams
}

func newGhzRun(b blockLoad) (*ghzRun, error) {
	calls, err := callsOf(b.Load.Target)
	if err != nil {
		return nil, err
	}
	secured, secrets, err := tlsOptions(b)
	if err != nil {
		return nil, err
	}
	// run sets the start.
	pace, err := byAlarm(newPacer(b.Load, time.Time{}))
	if err != nil {
		return nil, err
	}
	g := &ghzRun{pace: pace, secrets: secrets}
	if err = g.prepare(b, calls, secured); err == nil {
		g.records, err = newRecorder(b)
	}
	if err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// prepare passes the messages to ghz in encoded form: its own conversion, through JSON and dynamic messages, takes more CPU time than
// the call.
func (g *ghzRun) prepare(b blockLoad, calls []grpcCall, secured []runner.Option) error {
	call := b.Load.Target.Requests[0].Call
	set, err := proto.Marshal(contractOf(call, *b.Load.Target.Method))
	if err != nil {
		return err
	}
	method, err := protodesc.GetMethodDescFromProtoSetBinary(call, set)
	if err != nil {
		return err
	}
	codec := runnerFrames{frames{}, map[*dynamic.Message]frame{}}
	messages := make([][]*dynamic.Message, len(calls))
	for i, one := range calls {
		message := dynamic.NewMessage(method.GetInputType())
		codec.encoded[message] = one.messages[0]
		messages[i] = []*dynamic.Message{message}
	}
	config, err := runner.NewConfig(call, b.Load.Target.Address, append(secured,
		runner.WithProtosetBinary(set),
		runner.WithPacer(g.pace),
		runner.WithConcurrency(uint(b.Load.Workers)),
		runner.WithConnections(uint(min(mostConnections, b.Load.Workers))),
		runner.WithTimeout(b.Load.timeout()),
		runner.WithDisableTemplateFuncs(true),
		runner.WithDisableTemplateData(true),
		runner.WithDataProvider(func(c *runner.CallData) ([]*dynamic.Message, error) {
			return messages[c.RequestNumber%int64(len(messages))], nil
		}),
		runner.WithMetadataProvider(func(c *runner.CallData) (*metadata.MD, error) {
			return &calls[c.RequestNumber%int64(len(calls))].metadata, nil
		}),
		runner.WithDefaultCallOptions([]grpc.CallOption{
			grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32), grpc.ForceCodec(codec),
		}),
	)...)
	if err != nil {
		return err
	}
	g.requester, err = runner.NewRequester(config)
	return err
}

func (g *ghzRun) run(start time.Time) error {
	g.pace.start = start
	g.records.begin(start)
	report, err := g.requester.Run()
	if err != nil {
		return errors.Join(err, g.records.abandon(), g.close())
	}
	for _, call := range report.Details {
		// ghz records the end of a call.
		g.records.add(call.Timestamp.Add(-call.Latency), call.Latency, none, endOfReported(call))
	}
	if kept := uint64(len(report.Details)); report.Count > kept {
		err = fmt.Errorf("ghz made %d calls but recorded only %d", report.Count, kept)
	}
	return errors.Join(err, g.records.write(), g.pace.failed, g.close())
}

func (g *ghzRun) close() error {
	g.pace.close()
	if g.secrets == "" {
		return nil
	}
	return os.RemoveAll(g.secrets)
}

func endOfReported(call runner.ResultDetail) outcome {
	switch call.Status {
	case "":
		return failed(call.Error)
	case "Unavailable":
		return outcome{call.Status, failed(call.Error).Text}
	}
	return outcome{Status: call.Status}
}

// contractOf describes the service as far as ghz requires: its name, and which sides of the call are streams.
func contractOf(call string, method methodKind) *descriptorpb.FileDescriptorSet {
	slash := strings.LastIndexByte(call, '/')
	service, name := call[:max(slash, 0)], call[slash+1:]
	point := strings.LastIndexByte(service, '.')
	group := service[:max(point, 0)]
	const message = "WiregaugeMessage"
	messageType := proto.String("." + strings.TrimPrefix(group+"."+message, "."))
	return &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{{
		Name: proto.String("load.proto"), Package: proto.String(group), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String(message)}},
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name: proto.String(service[point+1:]),
			Method: []*descriptorpb.MethodDescriptorProto{{
				Name: proto.String(name), InputType: messageType, OutputType: messageType,
				ClientStreaming: proto.Bool(method.ClientStreams), ServerStreaming: proto.Bool(method.ServerStreams),
			}},
		}},
	}}}
}

// runnerFrames is the codec of frames for the messages that ghz passes.
type runnerFrames struct {
	frames
	encoded map[*dynamic.Message]frame
}

// Marshal returns the encoded message.
func (r runnerFrames) Marshal(message any) ([]byte, error) {
	return r.encoded[message.(*dynamic.Message)], nil
}

// tlsOptions returns the equivalent of ghz's --insecure, or of --cacert, --cert, --key, --cname and --skipTLS, and the folder of
// their files.
func tlsOptions(b blockLoad) (options []runner.Option, folder string, err error) {
	c := b.Load.Target.Connection
	if c == nil || c.TLS == nil {
		return []runner.Option{runner.WithInsecure(true)}, "", nil
	}
	// ghz's message about a bad certificate does not name the key of the configuration.
	if _, err = c.tlsConfig(); err != nil {
		return nil, "", err
	}
	if folder, err = os.MkdirTemp(filepath.Dir(b.Output), "tls-"); err != nil {
		return nil, "", err
	}
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		err = errors.Join(err, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	options = []runner.Option{runner.WithSkipTLSVerify(c.TLS.Insecure)}
	if c.TLS.CA != "" {
		options = append(options, runner.WithRootCertificate(write("ca.pem", c.TLS.CA)))
	}
	if c.TLS.Certificate != "" {
		options = append(options, runner.WithCertificate(write("own.pem", c.TLS.Certificate), write("key.pem", c.TLS.Key)))
	}
	if c.TLS.ServerName != "" {
		options = append(options, runner.WithServerNameOverride(c.TLS.ServerName))
	}
	return options, folder, err
}
