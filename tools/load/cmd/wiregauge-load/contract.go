package main

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/jhump/protoreflect/desc"
	"github.com/jhump/protoreflect/desc/protoparse"
)

// parsedContract is the contract of the last load, parsed: all loads of a service have the same.
type parsedContract struct {
	of   contract
	file *desc.FileDescriptor
}

// method finds the method that a target calls. Only methods with one message each way can be called.
func (p *parsedContract) method(t target) (*desc.MethodDescriptor, error) {
	if t.Proto == nil {
		return nil, errors.New("ghz cannot call a service without its contract")
	}
	if err := p.parse(*t.Proto); err != nil {
		return nil, err
	}
	call := t.Requests[0].Call
	slash := strings.LastIndexAny(call, "/.")
	service := p.file.FindService(call[:max(slash, 0)])
	if service == nil {
		return nil, fmt.Errorf("%s defines no service for the call %q", t.Proto.File, call)
	}
	method := service.FindMethodByName(call[slash+1:])
	if method == nil {
		return nil, fmt.Errorf("%s has no method for the call %q", service.GetFullyQualifiedName(), call)
	}
	if method.IsClientStreaming() || method.IsServerStreaming() {
		return nil, fmt.Errorf("%q streams messages, which a block cannot play", call)
	}
	return method, nil
}

func (p *parsedContract) parse(c contract) error {
	if p.file != nil && p.of.File == c.File && maps.Equal(p.of.Texts, c.Texts) {
		return nil
	}
	parser := protoparse.Parser{Accessor: protoparse.FileContentsFromMap(c.Texts)}
	files, err := parser.ParseFiles(c.File)
	if err != nil {
		return fmt.Errorf("the contract cannot be read: %w", err)
	}
	p.of, p.file = c, files[0]
	return nil
}
