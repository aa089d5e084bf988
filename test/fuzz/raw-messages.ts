import type { Dice } from './dice';

/** Messages that are not HTTP, or two in one: each must be refused, or answered by its real meaning. */
const MESSAGES: readonly ((target: string) => string)[] = [
  (to) => `GET ${to} HTTP/1.1\r\n\r\n`,
  (to) => `POST ${to} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{"a":1`,
  (to) =>
    `POST ${to} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`,
  (to) => `POST ${to} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
  (to) => `POST ${to} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n`,
  (to) => `POST ${to} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc`,
  (to) => `POST ${to} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n`,
  (to) => `POST ${to} HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n`,
  (to) => `POST ${to} HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\n\r\nabc`,
  (to) => `GET ${to} HTTP/9.9\r\nHost: x\r\n\r\n`,
  (to) => `GET ${to}\r\n\r\n`,
  (to) => `GET ${to} x HTTP/1.1\r\nHost: x\r\n\r\n`,
  (to) => `BREW ${to} HTTP/1.1\r\nHost: x\r\n\r\n`,
  (to) => `GET ${to} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`,
  (to) => `GET ${to} HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n`,
  (to) => `GET ${to} HTTP/1.1\r\nHost: x\r\nX: \0\r\n\r\n`,
  (to) => `GET ${to} HTTP/1.1\nHost: x\n\n`,
  (to) => `GET ${to} HTTP/1.1\r\nHost: x\r\n${'X-Many: y\r\n'.repeat(10_000)}\r\n`,
  (to) => `GET ${to} HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(100_000)}\r\n\r\n`,
  (to) => `GET ${to}?${'q'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  (to) => `CONNECT ${to} HTTP/1.1\r\nHost: x\r\n\r\n`,
  (to) => `GET http://elsewhere.example${to} HTTP/1.1\r\nHost: x\r\n\r\n`,
  (to) => `OPTIONS * HTTP/1.1\r\nHost: x\r\nX-Was: ${to}\r\n\r\n`,
  (to) => `GET ${to} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
  (to) =>
    `GET ${to} HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AA\r\n\r\n`,
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
];

export const rawMessage = (target: string, dice: Dice): string => dice.of(MESSAGES)(target);
