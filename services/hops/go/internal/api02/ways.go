package api02

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"wiregauge/services/hops/go/internal/certificate"
	"wiregauge/services/hops/go/internal/products"
	"wiregauge/services/lib/pb/productsv1"
)

// way requests the products.
type way func(ctx context.Context) (products.List, error)

// overHTTP requests each of the addresses at once, over HTTP/2: with TLS if they begin with https.
func overHTTP(addresses []string) (way, error) {
	trusted, err := certificate.Client()
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: overHTTP2(trusted)}
	ways := make([]way, len(addresses))
	for index, address := range addresses {
		ways[index] = overHTTPTo(client, address+"/api/v1/products")
	}
	return atOnce(ways), nil
}

func overHTTP2(trusted *tls.Config) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Transport{Protocols: protocols, TLSClientConfig: trusted}
}

func overHTTPTo(client *http.Client, url string) way {
	return func(ctx context.Context) (products.List, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return products.List{}, err
		}
		answer, err := client.Do(request)
		if err != nil {
			return products.List{}, err
		}
		text, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			return products.List{}, err
		}
		if answer.StatusCode != http.StatusOK || answer.ProtoMajor != 2 {
			return products.List{}, fmt.Errorf("%s answered %s over %s: %s", url, answer.Status, answer.Proto, strings.TrimSpace(string(text)))
		}
		return products.FromJSON(text)
	}
}

// atOnce requests over all ways at the same time, and returns all answers, or an error, once all have answered.
func atOnce(ways []way) way {
	if len(ways) == 1 {
		return ways[0]
	}
	return func(ctx context.Context) (products.List, error) {
		lists := make([]products.List, len(ways))
		failures := make([]error, len(ways))
		var asking sync.WaitGroup
		for index, ask := range ways {
			asking.Go(func() { lists[index], failures[index] = ask(ctx) })
		}
		asking.Wait()
		if err := errors.Join(failures...); err != nil {
			return products.List{}, err
		}
		for _, list := range lists {
			if !slices.Equal(list.Products, lists[0].Products) {
				return products.List{}, errors.New("not all of them answered the same")
			}
		}
		return lists[0], nil
	}
}

func overGRPC(client productsv1.ProductServiceClient) way {
	return func(ctx context.Context) (products.List, error) {
		answer, err := client.ListProducts(ctx, &productsv1.ListProductsRequest{})
		return products.FromMessage(answer), err
	}
}

func overNATS(connection *nats.Conn) way {
	return func(ctx context.Context) (products.List, error) {
		message, err := connection.RequestWithContext(ctx, products.Subject, nil)
		if err != nil {
			return products.List{}, err
		}
		return products.FromJSON(message.Data)
	}
}
