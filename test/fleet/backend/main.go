// A backend for the tests of push: it decodes what it gets with Pyroscope's and OpenTelemetry's own code, and prints each
// profile as a line of JSON: its labels, type and period, and the value of each stack. It serves what was pushed.
package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"

	"connectrpc.com/connect"
	googlev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/querier/v1/querierv1connect"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/protobuf/proto"
)

type profile struct {
	Labels map[string]string
	Type   string
	Period int64
	Start  int64
	// Nanoseconds by stack: "function:line" from the innermost frame on, joined by ";".
	Stacks map[string]int64
}

func print(p profile) {
	line, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

type pusher struct{}

func (pusher) Push(_ context.Context, request *connect.Request[pushv1.PushRequest]) (*connect.Response[pushv1.PushResponse], error) {
	for _, series := range request.Msg.Series {
		labels := map[string]string{}
		for _, pair := range series.Labels {
			labels[pair.Name] = pair.Value
		}
		for _, sample := range series.Samples {
			var p googlev1.Profile
			if err := proto.Unmarshal(sample.RawProfile, &p); err != nil {
				return nil, connect.NewError(connect.CodeInvalidArgument, err)
			}
			text := func(at int64) string { return p.StringTable[at] }
			kind := p.SampleType[0]
			name := fmt.Sprintf("%s:%s:%s:%s:%s", labels["__name__"], text(kind.Type), text(kind.Unit), text(p.PeriodType.Type), text(p.PeriodType.Unit))
			found := profile{labels, name, p.Period, p.TimeNanos, map[string]int64{}}
			pushed = append(pushed, struct {
				labels  map[string]string
				name    string
				profile *googlev1.Profile
			}{labels, name, &p})
			for _, s := range p.Sample {
				frames := []string{}
				for _, id := range s.LocationId {
					line := p.Location[id-1].Line[0]
					frames = append(frames, fmt.Sprintf("%s:%d", text(p.Function[line.FunctionId-1].Name), line.Line))
				}
				found.Stacks[strings.Join(frames, ";")] += s.Value[0]
			}
			print(found)
		}
	}
	return connect.NewResponse(&pushv1.PushResponse{}), nil
}

// The profiles that were pushed.
var pushed []struct {
	labels  map[string]string
	name    string
	profile *googlev1.Profile
}

var matcher = regexp.MustCompile(`"?([\w.]+)"?="([^"]*)"`)

func matches(selector string, labels map[string]string) bool {
	for _, match := range matcher.FindAllStringSubmatch(selector, -1) {
		if labels[match[1]] != match[2] {
			return false
		}
	}
	return true
}

type querier struct {
	querierv1connect.UnimplementedQuerierServiceHandler
}

// The newest profile of the selector in the span.
func (querier) SelectMergeProfile(_ context.Context, request *connect.Request[querierv1.SelectMergeProfileRequest]) (*connect.Response[googlev1.Profile], error) {
	asked := request.Msg
	print(profile{map[string]string{"selector": asked.LabelSelector}, asked.ProfileTypeID, asked.End - asked.Start, asked.Start, nil})
	found := &googlev1.Profile{}
	for _, one := range pushed {
		at := one.profile.TimeNanos / 1e6
		if at >= asked.Start && at <= asked.End && one.name == asked.ProfileTypeID && matches(asked.LabelSelector, one.labels) {
			found = one.profile
			// As Pyroscope does for all that it merges.
			found.Period = 1
			if strings.HasPrefix(one.name, "process_cpu:cpu:") {
				found.Period = 1e9
			}
		}
	}
	return connect.NewResponse(found), nil
}

// As Pyroscope does: a point has the end of its step, and the first step ends at the start of the query.
func (querier) SelectSeries(_ context.Context, request *connect.Request[querierv1.SelectSeriesRequest]) (*connect.Response[querierv1.SelectSeriesResponse], error) {
	asked := request.Msg
	step := int64(asked.Step * 1000)
	answer := &querierv1.SelectSeriesResponse{}
	byLabels := map[string]*typesv1.Series{}
	for _, one := range pushed {
		steps := int64(math.Ceil(float64(one.profile.TimeNanos/1e6-asked.Start) / float64(step)))
		at := asked.Start + steps*step
		if steps < 0 || at > asked.End || one.name != asked.ProfileTypeID || !matches(asked.LabelSelector, one.labels) {
			continue
		}
		labels := []*typesv1.LabelPair{}
		for _, name := range asked.GroupBy {
			if value, isThere := one.labels[name]; isThere {
				labels = append(labels, &typesv1.LabelPair{Name: name, Value: value})
			}
		}
		sum := 0.0
		for _, sample := range one.profile.Sample {
			sum += float64(sample.Value[0])
		}
		key := fmt.Sprint(labels)
		if byLabels[key] == nil {
			byLabels[key] = &typesv1.Series{Labels: labels}
			answer.Series = append(answer.Series, byLabels[key])
		}
		byLabels[key].Points = append(byLabels[key].Points, &typesv1.Point{Value: sum, Timestamp: at})
	}
	return connect.NewResponse(answer), nil
}

func collect(response http.ResponseWriter, request *http.Request) {
	version := request.Header.Values(pprofileotlp.DevelopmentVersionHeader)
	unzipped, err := gzip.NewReader(request.Body)
	if err == nil {
		err = pprofileotlp.ValidateDevelopmentVersion(version)
	}
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	raw, err := io.ReadAll(unzipped)
	export := pprofileotlp.NewExportRequest()
	if err == nil {
		err = export.UnmarshalJSON(raw)
	}
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	data := export.Profiles()
	names, tables := data.Dictionary().StringTable(), data.Dictionary()
	for _, resource := range data.ResourceProfiles().All() {
		for _, scope := range resource.ScopeProfiles().All() {
			for _, p := range scope.Profiles().All() {
				labels := map[string]string{}
				for key, value := range resource.Resource().Attributes().All() {
					labels[key] = value.Str()
				}
				found := profile{labels, names.At(int(p.SampleType().TypeStrindex())) + ":" + names.At(int(p.SampleType().UnitStrindex())), p.Period(), int64(p.Time()), map[string]int64{}}
				for _, s := range p.Samples().All() {
					for _, at := range s.AttributeIndices().All() {
						attribute := tables.AttributeTable().At(int(at))
						labels[names.At(int(attribute.KeyStrindex()))] = attribute.Value().Str()
					}
					frames := []string{}
					for _, at := range tables.StackTable().At(int(s.StackIndex())).LocationIndices().All() {
						line := tables.LocationTable().At(int(at)).Lines().At(0)
						frames = append(frames, fmt.Sprintf("%s:%d", names.At(int(tables.FunctionTable().At(int(line.FunctionIndex())).NameStrindex())), line.Line()))
					}
					found.Stacks[strings.Join(frames, ";")] += s.Values().At(0)
				}
				print(found)
			}
		}
	}
	answer, _ := pprofileotlp.NewExportResponse().MarshalJSON()
	response.Header().Set("Content-Type", "application/json")
	response.Write(answer)
}

func main() {
	http.Handle(pushv1connect.NewPusherServiceHandler(pusher{}))
	http.Handle(querierv1connect.NewQuerierServiceHandler(querier{}))
	http.HandleFunc("/v1development/profiles", collect)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, nil))
}
