// Sign an ad impression over the Unix socket of the signing server.
//
//	ADMIN_TOKEN=… go run sign.go /run/adattribution/admin.sock < impression.json
//
// It prints the signed impression. Only the standard library is needed.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

// SigningClient signs over a Unix socket. It keeps connections open, and many goroutines may use it at once.
type SigningClient struct {
	http  http.Client
	token string
}

// NewSigningClient connects to the socket when the first impression is signed.
func NewSigningClient(path, token string) *SigningClient {
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		},
		MaxIdleConnsPerHost: 64,
	}
	return &SigningClient{http.Client{Transport: transport, Timeout: time.Second}, token}
}

// Sign returns the signed impression, or an error with field and rule if it is refused.
func (client *SigningClient) Sign(impression io.Reader) ([]byte, error) {
	request, err := http.NewRequest(http.MethodPost, "http://localhost/v1/impressions?format=openrtb", impression)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+client.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, answer)
	}
	return answer, err
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: ADMIN_TOKEN=… go run sign.go SOCKET < impression.json")
		os.Exit(64)
	}
	answer, err := NewSigningClient(os.Args[1], os.Getenv("ADMIN_TOKEN")).Sign(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(answer))
}
