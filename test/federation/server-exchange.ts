import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const CAPTURES = join(__dirname, '../fixtures/captures');

/** One request that one deployed server sent to another, with its answer. */
export interface ServerExchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Host of the server that got the request. */
  readonly host: string;
  readonly contentType: string;
  /** Empty if the request has none. */
  readonly depth: string;
  readonly body: string;
  readonly status: number;
  readonly replyBody: string;
}

/** Reads a recording of messages between two servers: blocks that start with `### <n>. -> <server>`. */
export function readServerExchanges(name: string): ServerExchange[] {
  const text = readFileSync(join(CAPTURES, 'owncloud/federation', name), 'utf8');
  return text
    .split(/^### \d+\. .*\n/m)
    .slice(1)
    .map(readExchange);
}

function readExchange(block: string): ServerExchange {
  const replyAt = block.search(/^HTTP\/1\.1 \d/m);
  const [requestHead, body] = splitHead(block.slice(0, replyAt));
  const [replyHead, replyBody] = splitHead(block.slice(replyAt));
  const [method = '', path = ''] = requestHead.split(' ');
  const header = (label: string): string => new RegExp(`^${label}: (.*)$`, 'im').exec(requestHead)?.[1] ?? '';
  return {
    method,
    path,
    host: header('host'),
    contentType: header('content-type'),
    depth: header('depth'),
    body,
    status: Number(replyHead.split(' ')[1]),
    replyBody,
  };
}

function splitHead(text: string): [head: string, body: string] {
  const end = text.indexOf('\n\n');
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end + 2).trim()];
}

/** A recorded exchange with OpenCloud: the command, the head of the reply and its body. */
export function readOpenCloudReply(name: string): { status: number; body: string } {
  const text = readFileSync(join(CAPTURES, 'opencloud', name), 'utf8');
  const reply = text.slice(text.search(/^HTTP\/1\.1 \d/m));
  const [head, body] = splitHead(reply);
  return { status: Number(head.split(' ')[1]), body };
}

/** Requests that OpenCloud itself sent to a partner. */
export function readOpenCloudRequests(name: string): { method: string; url: string; body: string }[] {
  return readFileSync(join(CAPTURES, 'opencloud', name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { method: string; url: string; body: string });
}
