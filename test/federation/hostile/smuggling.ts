import { connect } from 'node:net';
import { offerBody } from '../inbound-partner';

/** Would be accepted if it were read: it needs no signature. */
const HIDDEN_BODY = JSON.stringify(offerBody('smuggled', 'SecretOfTheSmuggledOffer'));
export const HIDDEN = [
  'POST /ocm/shares HTTP/1.1',
  'Host: gateway.example',
  'Content-Type: application/json',
  `Content-Length: ${HIDDEN_BODY.length}`,
  'Connection: close',
  '',
  HIDDEN_BODY,
].join('\r\n');

/** A request with these lines in its head, and a second one hidden behind it. */
const hiding = (...lines: readonly string[]): string =>
  ['POST /ocm/notifications HTTP/1.1', 'Host: gateway.example', ...lines, '', HIDDEN].join('\r\n');
/** The same after a seeming end of a body in chunks. */
const hidingInChunks = (...lines: readonly string[]): string =>
  ['POST /ocm/notifications HTTP/1.1', 'Host: gateway.example', ...lines, '', '0', '', HIDDEN].join('\r\n');
const length = (text: string): string => `Content-Length: ${text}`;
const HIDDEN_LENGTH = length(String(HIDDEN.length));
const CHUNKED = 'Transfer-Encoding: chunked';
const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `x-${at}: 1`);

/** Requests that two readers could read differently, or that are too large; with the fault. */
export const BYTES: readonly [name: string, reason: string, bytes: string][] = [
  ['10,000 headers', 'HPE_HEADER_OVERFLOW', hiding(...many(10_000))],
  ['150 headers', 'too-large', hiding(...many(150), length('0'), 'Connection: close')],
  ['a header of a megabyte', 'HPE_HEADER_OVERFLOW', hiding(`x-long: ${'a'.repeat(1_048_576)}`)],
  [
    'an address of 100 kilobytes',
    'HPE_HEADER_OVERFLOW',
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: gateway.example\r\n\r\n`,
  ],
  ['two lengths', 'HPE_UNEXPECTED_CONTENT_LENGTH', hiding(length('0'), HIDDEN_LENGTH)],
  ['two lengths in one', 'HPE_INVALID_CONTENT_LENGTH', hiding(length(`0, ${HIDDEN.length}`))],
  ['a length and chunks', 'HPE_INVALID_TRANSFER_ENCODING', hidingInChunks(HIDDEN_LENGTH, CHUNKED)],
  ['chunks and a length', 'HPE_INVALID_CONTENT_LENGTH', hidingInChunks(CHUNKED, HIDDEN_LENGTH)],
  ['a negative length', 'HPE_INVALID_CONTENT_LENGTH', hiding(length('-1'))],
  ['a length with a sign', 'HPE_INVALID_CONTENT_LENGTH', hiding(length('+0'))],
  ['a length in hexadecimal', 'HPE_INVALID_CONTENT_LENGTH', hiding(length('0x0'))],
  ['a length of a terabyte', 'too-large', hiding(length(String(10 ** 12)), 'Connection: close')],
  ['a length without end', 'HPE_INVALID_CONTENT_LENGTH', hiding(length('9'.repeat(30)))],
  ['chunks that are not the last coding', 'HPE_INVALID_TRANSFER_ENCODING', hidingInChunks(`${CHUNKED}, x`)],
  ['a space before the colon', 'HPE_INVALID_HEADER_TOKEN', hidingInChunks('Transfer-Encoding : chunked')],
  ['a folded header', 'HPE_INVALID_HEADER_TOKEN', hiding('x-folded: a', ` ${length('0')}`)],
  [
    'bare line feeds',
    'HPE_CR_EXPECTED',
    hiding(length('0')).replace('gateway.example\r\n', 'gateway.example\n'),
  ],
  [
    'a size of a chunk that is none',
    'HPE_INVALID_CHUNK_SIZE',
    hiding(CHUNKED).replace('POST /ocm/shares', 'x'),
  ],
];

const PATIENCE_MS = 60_000;

/**
 * Sends bytes that may not be HTTP. @returns the whole answer until the server ends the connection, or sends nothing
 * more
 */
export function answersTo(bytes: string, url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => void socket.write(bytes, 'latin1'));
    const done = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    // A connection that still writes when the server has closed it is reset.
    socket.on('error', done).on('close', done);
    socket.setTimeout(PATIENCE_MS, done);
  });
}

/** Of each answer. */
export const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
