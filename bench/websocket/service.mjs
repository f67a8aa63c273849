/** A service of WebSockets that answers each message after 5 ms, which is longer than what differs between two clients. */
import { WebSocketServer } from 'ws';

const DELAY_MS = 5;

new WebSocketServer({ host: '127.0.0.1', port: Number(process.env.PORT), path: '/rpc' }).on('connection', (socket) => {
  socket.on('message', (text) => {
    const { id } = JSON.parse(text.toString());
    setTimeout(() => socket.send(JSON.stringify({ id, result: 'an item' })), DELAY_MS);
  });
});
