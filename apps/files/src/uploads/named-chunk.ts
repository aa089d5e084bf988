import { createHash } from 'node:crypto';
import { DavFailure, nameOf, parentOf, parsePath, type NodePath } from '#storage';

const MAX_CHUNKS = 10_000;
const NAME = /^(.+)-chunking-(\d{1,20})-(\d{1,5})-(\d{1,5})$/s;

/** A chunk that is sent to its file's folder, as in old clients: `name-chunking-{id}-{count}-{index}`. */
export interface NamedChunk {
  readonly target: NodePath;
  /** Common name of the upload for all chunks of the file. */
  readonly upload: string;
  readonly count: number;
  readonly index: number;
}

/** Reads the path of a PUT with the header `OC-Chunked`. @throws DavFailure `bad-request` */
export function readNamedChunk(path: NodePath): NamedChunk {
  const [, name, id, ...numbers] = NAME.exec(nameOf(path)) ?? [];
  const [count = 0, index = 0] = numbers.map(Number);
  if (name === undefined || count < 1 || count > MAX_CHUNKS || index >= count)
    throw new DavFailure('bad-request', 'The name of a chunk ends in -chunking-{id}-{count}-{index}');
  const target = parsePath(`${parentOf(path)}/${name}`);
  const digest = createHash('sha256').update(`${target} ${id} ${count}`).digest('hex');
  return { target, upload: `named-${digest}`, count, index };
}
