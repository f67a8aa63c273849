package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/bojand/ghz/protodesc"
	"github.com/jhump/protoreflect/desc"
	"github.com/jhump/protoreflect/desc/protoparse"
)

// parsedContract is the contract of the last load, parsed: all loads of a service have the same.
type parsedContract struct {
	of      contract
	file    *desc.FileDescriptor
	methods map[string]*desc.MethodDescriptor
}

// method finds the method that a target calls.
func (p *parsedContract) method(t target) (*desc.MethodDescriptor, error) {
	if t.Proto == nil || (t.Proto.File == "" && len(t.Proto.DescriptorSet) == 0) {
		return nil, errors.New("ghz cannot call a service without its contract")
	}
	if err := p.take(*t.Proto); err != nil {
		return nil, err
	}
	call := t.Requests[0].Call
	if method := p.methods[call]; method != nil {
		return method, nil
	}
	method, err := p.find(call)
	if err != nil {
		return nil, err
	}
	p.methods[call] = method
	return method, nil
}

func (p *parsedContract) take(c contract) error {
	if p.methods != nil && p.of.equal(c) {
		return nil
	}
	var file *desc.FileDescriptor
	if len(c.DescriptorSet) == 0 {
		parser := protoparse.Parser{Accessor: protoparse.FileContentsFromMap(c.Texts)}
		files, err := parser.ParseFiles(c.File)
		if err != nil {
			return fmt.Errorf("the contract cannot be read: %w", err)
		}
		file = files[0]
	}
	p.of, p.file, p.methods = c, file, map[string]*desc.MethodDescriptor{}
	return nil
}

func (p *parsedContract) find(call string) (*desc.MethodDescriptor, error) {
	if p.file == nil {
		return protodesc.GetMethodDescFromProtoSetBinary(call, p.of.DescriptorSet)
	}
	slash := strings.LastIndexAny(call, "/.")
	service := p.file.FindService(call[:max(slash, 0)])
	if service == nil {
		return nil, fmt.Errorf("%s defines no service for the call %q", p.of.File, call)
	}
	method := service.FindMethodByName(call[slash+1:])
	if method == nil {
		return nil, fmt.Errorf("%s has no method for the call %q", service.GetFullyQualifiedName(), call)
	}
	return method, nil
}

func (c contract) equal(other contract) bool {
	return c.File == other.File && maps.Equal(c.Texts, other.Texts) && bytes.Equal(c.DescriptorSet, other.DescriptorSet)
}
