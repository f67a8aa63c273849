// Package kubernetes renders the overlays beside it as kustomize does, and holds them to the types of Kubernetes and of the
// Prometheus operator: an unknown field is a mistake, and so is a value of another type.
package kubernetes

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const overlays = "overlays/"

// rendered is what an overlay makes.
type rendered struct {
	namespaces  []core.Namespace
	settings    []core.ConfigMap
	deployments []apps.Deployment
	services    []core.Service
	monitors    []monitoring.ServiceMonitor
}

// render gives what a folder makes, or every mistake in it.
func render(files filesys.FileSystem, folder string) (rendered, error) {
	var made rendered
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, folder)
	if err != nil {
		return made, err
	}
	var mistakes []error
	for _, resource := range resources.Resources() {
		text, err := resource.MarshalJSON()
		if err == nil {
			err = made.add(resource.GetApiVersion()+" "+resource.GetKind(), text)
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s %s: %w", resource.GetKind(), resource.GetName(), err))
		}
	}
	return made, errors.Join(mistakes...)
}

func (made *rendered) add(kind string, text []byte) error {
	switch kind {
	case "v1 Namespace":
		return read(text, &made.namespaces)
	case "v1 ConfigMap":
		return read(text, &made.settings)
	case "apps/v1 Deployment":
		return read(text, &made.deployments)
	case "v1 Service":
		return read(text, &made.services)
	case "monitoring.coreos.com/v1 ServiceMonitor":
		return read(text, &made.monitors)
	default:
		return fmt.Errorf("there is no type for %s", kind)
	}
}

// read adds an object of a type, if it has only fields that the type has.
func read[Type any](text []byte, known *[]Type) error {
	var one Type
	mistakes, err := json.UnmarshalStrict(text, &one)
	*known = append(*known, one)
	return errors.Join(append(mistakes, err)...)
}

// overlay is what one of ours makes; a mistake in it fails the test.
func overlay(t *testing.T, way string) rendered {
	t.Helper()
	made, err := render(filesys.MakeFsOnDisk(), overlays+way)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func each(t *testing.T, test func(t *testing.T, way string, made rendered)) {
	for _, way := range []string{"grpc", "http"} {
		t.Run(way, func(t *testing.T) { test(t, way, overlay(t, way)) })
	}
}

func TestMakesThreeLayersInANamespaceOfTheirOwn(t *testing.T) {
	each(t, func(t *testing.T, way string, made rendered) {
		replicas := map[string]int32{}
		for _, one := range made.deployments {
			replicas[one.Name] = *one.Spec.Replicas
			if one.Namespace != "layers-"+way {
				t.Errorf("%s is in %s", one.Name, one.Namespace)
			}
		}
		if expected := map[string]int32{"controller": 3, "service": 1, "repository": 1}; fmt.Sprint(replicas) != fmt.Sprint(expected) {
			t.Errorf("found %v, expected %v", replicas, expected)
		}
		if len(made.namespaces) != 1 || made.namespaces[0].Name != "layers-"+way || len(made.services) != 3 {
			t.Errorf("found %v and %v", made.namespaces, made.services)
		}
	})
}

func TestTellsEachLayerWhichWayToTakeAndWhereTheNextOneIs(t *testing.T) {
	each(t, func(t *testing.T, way string, made rendered) {
		if len(made.settings) != 1 || made.settings[0].Data["WAY"] != way {
			t.Fatalf("found %v", made.settings)
		}
		for _, one := range made.deployments {
			container := one.Spec.Template.Spec.Containers[0]
			if one.Name == "repository" {
				continue
			}
			// The name of the map has a hash of what is in it.
			if from := container.EnvFrom; len(from) != 1 || from[0].ConfigMapRef.Name != made.settings[0].Name {
				t.Errorf("%s: %v", one.Name, from)
			}
			for _, variable := range container.Env {
				if !reaches(made.services, strings.TrimPrefix(variable.Value, "http://")) {
					t.Errorf("%s: nothing listens at %s, which is its %s", one.Name, variable.Value, variable.Name)
				}
			}
		}
	})
}

func reaches(services []core.Service, address string) bool {
	return slices.ContainsFunc(services, func(service core.Service) bool {
		return slices.ContainsFunc(service.Spec.Ports, func(port core.ServicePort) bool {
			return address == fmt.Sprintf("%s:%d", service.Name, port.Port)
		})
	})
}

func TestReachesPodsByTheirLabelsAndPorts(t *testing.T) {
	each(t, func(t *testing.T, _ string, made rendered) {
		for _, service := range made.services {
			behind := slices.IndexFunc(made.deployments, func(one apps.Deployment) bool {
				return covers(one.Spec.Template.Labels, service.Spec.Selector)
			})
			if behind < 0 {
				t.Errorf("%s selects no pod", service.Name)
				continue
			}
			for _, port := range service.Spec.Ports {
				if !hasPort(made.deployments[behind].Spec.Template.Spec.Containers[0], port.TargetPort.StrVal) {
					t.Errorf("%s: no port of a pod is called %s", service.Name, port.TargetPort.StrVal)
				}
			}
		}
		for _, one := range made.deployments {
			if !covers(one.Spec.Template.Labels, one.Spec.Selector.MatchLabels) {
				t.Errorf("%s does not select its own pods", one.Name)
			}
		}
	})
}

func hasPort(container core.Container, name string) bool {
	return slices.ContainsFunc(container.Ports, func(port core.ContainerPort) bool { return port.Name == name })
}

func covers(labels, wanted map[string]string) bool {
	for name, value := range wanted {
		if labels[name] != value {
			return false
		}
	}
	return len(wanted) > 0
}

func TestAsksForHealthAndBoundsWhatAPodMayUse(t *testing.T) {
	// What the study reserves for each pod.
	reserved := map[string]string{"grpc": "500m 128Mi", "http": "900m 256Mi"}
	each(t, func(t *testing.T, way string, made rendered) {
		for _, one := range made.deployments {
			container := one.Spec.Template.Spec.Containers[0]
			if container.StartupProbe == nil || container.ReadinessProbe.HTTPGet.Path != "/health" || container.LivenessProbe.GRPC == nil {
				t.Errorf("%s lacks a probe", one.Name)
			}
			for name, found := range map[string]core.ResourceList{"requests": container.Resources.Requests, "limits": container.Resources.Limits} {
				if amounts := found.Cpu().String() + " " + found.Memory().String(); amounts != reserved[way] {
					t.Errorf("%s: %s are %s, expected %s", one.Name, name, amounts, reserved[way])
				}
			}
		}
	})
}

func TestHasAllServicesMonitored(t *testing.T) {
	each(t, func(t *testing.T, way string, made rendered) {
		if len(made.monitors) != 1 || made.monitors[0].Namespace != "layers-"+way {
			t.Fatalf("found %v", made.monitors)
		}
		monitor := made.monitors[0].Spec
		for _, service := range made.services {
			if !covers(service.Labels, monitor.Selector.MatchLabels) {
				t.Errorf("%s is not monitored", service.Name)
			}
			for _, endpoint := range monitor.Endpoints {
				if !slices.ContainsFunc(service.Spec.Ports, func(port core.ServicePort) bool { return port.Name == endpoint.Port }) {
					t.Errorf("%s has no port that is called %s", service.Name, endpoint.Port)
				}
			}
		}
	})
}

func TestNamesEachFieldThatThereIsNot(t *testing.T) {
	files := filesys.MakeFsInMemory()
	write(t, files, "kustomization.yml", "resources: [deployment.yml, amount.yml, monitor.yml, other.yml]")
	write(t, files, "deployment.yml", `
apiVersion: apps/v1
kind: Deployment
metadata: { name: one }
spec:
  replica: 3
  template: { spec: { containers: [{ name: one, livenessProb: {} }] } }`)
	write(t, files, "amount.yml", `
apiVersion: apps/v1
kind: Deployment
metadata: { name: amount }
spec: { template: { spec: { containers: [{ name: one, resources: { limits: { memory: 5 MiB } } }] } } }`)
	write(t, files, "monitor.yml", `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: two }
spec: { selector: {}, endpoint: [] }`)
	write(t, files, "other.yml", `
apiVersion: v1
kind: Servis
metadata: { name: three }`)

	_, err := render(files, ".")

	for _, expected := range []string{
		`Deployment one: `, `unknown field "spec.replica"`, `unknown field "spec.template.spec.containers[0].livenessProb"`,
		"Deployment amount: quantities must match",
		`ServiceMonitor two: unknown field "spec.endpoint"`, "Servis three: there is no type for v1 Servis",
	} {
		if err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("found %v, expected %s", err, expected)
		}
	}
}

func write(t *testing.T, files filesys.FileSystem, path, text string) {
	t.Helper()
	if err := files.WriteFile(path, []byte(text)); err != nil {
		t.Fatal(err)
	}
}
