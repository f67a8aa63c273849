// One connection for each user, and messages at a fixed pace: RATE a second in all. What is sent in the first two seconds is not measured.
import exec from 'k6/execution';
import { Trend } from 'k6/metrics';
import { WebSocket } from 'k6/websockets';

const USERS = 10;
const WARMUP_MS = 2000;

export const options = { vus: USERS, iterations: USERS, summaryTrendStats: ['avg', 'med', 'p(99)', 'count'] };

const latency = new Trend('latency', true);
// The clock of a test has fractions of a millisecond, and that of JavaScript has none here.
const now = () => exec.instance.currentTestRunDuration;

// biome-ignore lint/style/noDefaultExport: k6 plays the default export
export default function () {
  const socket = new WebSocket(`ws://${__ENV.ADDRESS}/rpc`);
  const sent = new Map();
  let id = 0;
  socket.onopen = () => {
    const begun = now();
    const timer = setInterval(
      () => {
        id += 1;
        if (now() > begun + WARMUP_MS + 1000 * Number(__ENV.SECONDS)) {
          clearInterval(timer);
          socket.close();
          return;
        }
        if (now() > begun + WARMUP_MS) {
          sent.set(id, now());
        }
        socket.send(JSON.stringify({ id, method: 'getItem' }));
      },
      (1000 * USERS) / Number(__ENV.RATE),
    );
  };
  socket.onmessage = ({ data }) => {
    const at = sent.get(JSON.parse(data).id);
    if (at !== undefined) {
      latency.add(now() - at);
    }
  };
}

export function handleSummary({ metrics }) {
  return { stdout: JSON.stringify(metrics.latency.values) };
}
