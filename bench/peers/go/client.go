package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

var errNotFound = errors.New("not found")

// client talks to one server.
type client struct {
	base  string
	token string
	http  *http.Client
}

// deadmanSwitch is a switch as the server sends it.
type deadmanSwitch struct {
	ID       int64  `json:"id,omitempty"`
	TeamID   int64  `json:"team_id,omitempty"`
	Name     string `json:"name"`
	Matcher  string `json:"matcher"`
	Timeout  string `json:"timeout"`
	Severity string `json:"severity"`
}

func newClient(base, token string) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// As many as Terraform works on at once.
	transport.MaxIdleConnsPerHost = 10
	return &client{
		base:  strings.TrimRight(base, "/"),
		token: token,
		http:  &http.Client{Transport: transport, Timeout: 30 * time.Second},
	}
}

func switchesPath(team string) string { return "/api/teams/" + team + "/deadman-switches" }

// find looks for a switch in its team's list: the API has no route for one alone.
func (c *client) find(ctx context.Context, team, id string) (*deadmanSwitch, error) {
	wanted, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, err
	}
	var switches []deadmanSwitch
	if err := c.do(ctx, http.MethodGet, switchesPath(team), nil, &switches); err != nil {
		return nil, err
	}
	for i := range switches {
		if switches[i].ID == wanted {
			return &switches[i], nil
		}
	}
	return nil, errNotFound
}

func (c *client) create(ctx context.Context, team string, wanted deadmanSwitch) (*deadmanSwitch, error) {
	var made deadmanSwitch
	err := c.do(ctx, http.MethodPost, switchesPath(team), wanted, &made)
	return &made, err
}

func (c *client) remove(ctx context.Context, team, id string) error {
	return c.do(ctx, http.MethodDelete, switchesPath(team)+"/"+id, nil, nil)
}

func (c *client) do(ctx context.Context, method, path string, body, into any) error {
	var reader io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, reader)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusNotFound {
		return errNotFound
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}
