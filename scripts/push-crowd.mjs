// Many WebSocket clients of one server, in one process. Run as a child process: it answers each message, and ends with an error if the
// server closes a connection. The clients have next to no memory of their own: they write short messages, answer pings, and note the
// times of events.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

const TEXT = 0x81;
const MASKED = 0x80;
/** First byte of a ping. Other frames contain only ASCII, and are shorter than 126 bytes. */
const PING = '\x89';
const PONG = Buffer.from([0x8a, MASKED, 0, 0, 0, 0]);
const KEPT_CHARACTERS = 400;

/** A short message of a client; its mask is zero, so that the text stays readable. */
function frame(text) {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([TEXT, MASKED | bytes.length, 0, 0, 0, 0]), bytes]);
}

/** A client that leaves two pings unanswered is disconnected. */
function openClient(port, uid, password) {
  const client = { isSignedIn: false, isClosed: false, receivedAt: [] };
  let received = '';
  const key = randomBytes(16).toString('base64');
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(
      `GET /push/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    socket.write(Buffer.concat([frame(uid), frame(password)]));
  });
  socket.on('data', (data) => {
    const text = data.toString('latin1');
    if (text.includes(PING)) socket.write(PONG);
    received = (received + text).slice(-KEPT_CHARACTERS);
    client.isSignedIn ||= received.includes('authenticated');
    if (text.includes('notify_file')) client.receivedAt.push(Date.now());
  });
  socket.on('error', () => undefined);
  socket.on('close', () => (client.isClosed = true));
  return client;
}

const OPENED_AT_ONCE = 50;
const LOOK_EVERY_MS = 5;
const clients = [];

async function until(isTrue) {
  while (!isTrue()) {
    if (clients.some(({ isClosed }) => isClosed)) throw new Error('the server closed a connection');
    await new Promise((passed) => setTimeout(passed, LOOK_EVERY_MS));
  }
}

/** Opens a client for each of `count`, for the accounts in turn. */
async function open({ port, count, uids, password }) {
  for (let at = 0; at < count; at += OPENED_AT_ONCE) {
    for (let one = at; one < Math.min(count, at + OPENED_AT_ONCE); one += 1)
      clients.push(openClient(port, uids[one % uids.length], password));
    await until(() => clients.slice(at).every(({ isSignedIn }) => isSignedIn));
  }
  return {};
}

/** Waits until no client has heard anything for some seconds, and forgets earlier events. */
async function quiet({ forMs }) {
  const last = () => Math.max(...clients.map(({ receivedAt }) => receivedAt.at(-1) ?? 0));
  await until(() => Date.now() - last() > forMs);
  for (const client of clients) client.receivedAt.length = 0;
  return {};
}

/** Waits until each client has heard of a change. @returns the times (milliseconds since 1970) of the first event of each */
async function heard() {
  await until(() => clients.every(({ receivedAt }) => receivedAt.length > 0));
  return { times: clients.map(({ receivedAt }) => receivedAt[0]) };
}

const ANSWERS = { open, quiet, heard };
process.on('message', async ({ ask, ...details }) => process.send(await ANSWERS[ask](details)));
process.once('disconnect', () => process.exit(0));
