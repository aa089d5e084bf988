import { Busboy } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DavFailure } from '#storage';

const LIMITS = { files: 200, fields: 20, fieldSize: 4096, parts: 220 };

/**
 * Reads the files of a form while they arrive.
 * @param take called for each file, one after the other; its stream is read to the end
 * @throws DavFailure `bad-request` for a body that is no form with files; errors of `take`, which end the reading
 */
export async function readFormFiles<T>(
  request: FastifyRequest,
  take: (name: string, content: Readable) => Promise<T>,
): Promise<T[]> {
  const { 'content-type': type = '' } = request.headers;
  if (!type.startsWith('multipart/form-data'))
    throw new DavFailure('bad-request', 'This is no form with files');
  const parser = new Busboy({ headers: { ...request.headers, 'content-type': type }, limits: LIMITS });
  // A form that breaks off fails more than once, also after its reading has ended.
  parser.on('error', ignored);
  const taken: Promise<T>[] = [];
  const open = new Set<Readable>();
  parser.on('file', (_field, stream, name) => {
    stream.on('error', ignored);
    // A browser sends this part if no file was chosen.
    if (!name) return void stream.resume();
    open.add(stream);
    const file = take(name, stream).finally(() => open.delete(stream));
    taken.push(file);
    file.catch((error: unknown) => parser.destroy(error as Error));
  });
  parser.on('filesLimit', () =>
    parser.destroy(new DavFailure('bad-request', `A form may have ${LIMITS.files} files at most`)),
  );
  try {
    await pipeline(request.raw, parser);
  } catch (error) {
    for (const stream of open) stream.destroy(error as Error);
    await Promise.allSettled(taken);
    throw error instanceof Error && !(error.constructor === Error) ? error : broken();
  }
  return Promise.all(taken);
}

/** Others hear of the same error: without any listener it would end the process. */
const ignored = (): void => undefined;

const broken = (): DavFailure => new DavFailure('bad-request', 'The form ended too early');
