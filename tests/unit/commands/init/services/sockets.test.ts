import { describe, expect, it } from 'vitest';
import { proposed } from './repositories.ts';

const GORILLA = `package main

import "github.com/gorilla/websocket"

var upgrader = websocket.Upgrader{}

func echo(w http.ResponseWriter, r *http.Request) {
	c, err := upgrader.Upgrade(w, r, nil)
	for {
		c.ReadMessage()
	}
}

func home(w http.ResponseWriter, r *http.Request) {
	homeTemplate.Execute(w, "ws://"+r.Host+"/echo")
}

func main() {
	http.HandleFunc("/echo", echo)
	http.HandleFunc("/", home)
}
`;

const CHAT = `package main

func serveWs(hub *Hub, w http.ResponseWriter, r *http.Request) {
	conn, err := upgrader.Upgrade(w, r, nil)
}

func main() {
	hub := newHub()
	http.HandleFunc("/ws", func(w http.ResponseWriter, r *http.Request) {
		serveWs(hub, w, r)
	})
}
`;

const inline = (call: string) => `package main

func main() {
	mux.HandleFunc("/healthz", healthy)
	mux.HandleFunc("/rpc", func(w http.ResponseWriter, r *http.Request) {
		c, err := ${call}
	})
}
`;

const MODULE = 'module chat\nrequire github.com/gorilla/websocket v1.5.3\n';

describe('what is proposed for handlers of WebSockets in Go', () => {
  it.each([
    ['gorilla/websocket, beside its page', GORILLA, ['Echo', '/echo']],
    ['a function that a handler calls', CHAT, ['Ws', '/ws']],
    ['coder/websocket, beside a health check', inline('websocket.Accept(w, r, nil)'), ['Rpc', '/rpc']],
    ['gobwas/ws', inline('ws.UpgradeHTTP(r, w)'), ['Rpc', '/rpc']],
  ])('is a message to complete: %s', (_what, main, [name, path]) => {
    const { service, operations, text } = proposed({ 'go.mod': MODULE, 'main.go': main });

    expect(service?.protocol).toBe('websocket');
    expect(operations).toMatchObject([
      { name, bindings: { websocket: { path, message: { kind: 'text', text: 'hello' } } } },
    ]);
    expect(text).toContain('do not show which messages they accept: write some that they answer.');
    expect(text).not.toContain('It seems to use WebSockets');
  });

  it('is REST without them next to other routes, with a word about messages', () => {
    const main = GORILLA.replace('"/", home', '"/orders", home');
    const { service, operations, text } = proposed({ 'go.mod': MODULE, 'main.go': main });

    expect(service?.protocol).toBe('rest');
    expect(operations).toMatchObject([{ bindings: { rest: { path: '/orders' } } }]);
    expect(text).not.toContain('/echo');
    expect(text).toContain('It seems to use WebSockets');
  });

  it('is not a message for a route whose handler upgrades nothing', () => {
    const { service } = proposed({ 'go.mod': MODULE, 'main.go': GORILLA.replace('"/echo", echo', '"/echo", home') });

    expect(service?.protocol).toBe('rest');
  });
});
