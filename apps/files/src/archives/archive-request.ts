import type { FastifyRequest } from 'fastify';
import { DavFailure } from '#storage';

export type ArchiveFormat = 'zip' | 'tar';

/** A folder that is requested as one file. */
export interface ArchiveRequest {
  readonly format: ArchiveFormat;
  /** Names in the folder; empty for all. */
  readonly chosen: readonly string[];
}

const FORMATS: Readonly<Record<string, ArchiveFormat>> = {
  zip: 'zip',
  'application/zip': 'zip',
  tar: 'tar',
  'application/x-tar': 'tar',
};

type Query = Readonly<Record<string, unknown>>;
const queryOf = (request: FastifyRequest): Query => request.query as Query;

/**
 * Whether a GET requests a folder as an archive: by `Accept` or by `accept` in the query, which wins.
 * @throws DavFailure `bad-request` for invalid names in `files`
 */
export function archiveRequestOf(request: FastifyRequest): ArchiveRequest | undefined {
  const { accept } = queryOf(request);
  const wanted = typeof accept === 'string' && accept !== '' ? accept : request.headers.accept;
  const format = formatIn(wanted ?? '');
  return format && { format, chosen: chosenIn(request) };
}

/** The same at an address that returns only archives: ZIP by default. @throws DavFailure */
export function archiveWantedBy(request: FastifyRequest): ArchiveRequest {
  return archiveRequestOf(request) ?? { format: 'zip', chosen: chosenIn(request) };
}

function formatIn(accept: string): ArchiveFormat | undefined {
  const types = accept.split(',').map((type) => type.split(';')[0]!.trim().toLowerCase());
  return types.map((type) => FORMATS[type]).find((format) => format !== undefined);
}

/**
 * Names in `files[]` of a form in the body. Without a body, names in `files` of the query: a JSON array or one name, as in
 * `files=["a.txt","b"]`; `files[]=a.txt&files[]=b`; or the headers `X-NC-Files`.
 * @throws DavFailure `bad-request`
 */
function chosenIn(request: FastifyRequest): readonly string[] {
  const { body } = request;
  if (Buffer.isBuffer(body)) return new URLSearchParams(body.toString('utf8')).getAll('files[]');
  const query = queryOf(request);
  const several = query['files[]'];
  if (several !== undefined) return [several].flat().filter(isName);
  const { files } = query;
  if (Array.isArray(files)) return files.filter(isName);
  if (typeof files === 'string' && files !== '') return fromJson(files);
  // Node reads headers as latin1, but clients send UTF-8.
  return (request.raw.headersDistinct['x-nc-files'] ?? []).map((name) =>
    Buffer.from(name, 'latin1').toString('utf8'),
  );
}

function fromJson(text: string): readonly string[] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return [text];
  }
  if (typeof read === 'string') return [read];
  if (!Array.isArray(read)) return [text];
  if (!read.every(isName)) throw new DavFailure('bad-request', 'Only names of files can be chosen');
  return read;
}

const isName = (value: unknown): value is string => typeof value === 'string';
