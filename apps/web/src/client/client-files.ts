import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { clientDirectory } from '#pages';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** Compressed once for all requests; the highest quality would delay the first one. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** A file of the pages, in the encodings that browsers accept. */
export interface ClientFile {
  readonly mediaType: string;
  readonly identity: Buffer;
  readonly br: Buffer;
  readonly gzip: Buffer;
}

let files: ReadonlyMap<string, ClientFile> | undefined;
const templates = new Map<string, string>();

/**
 * A document of the pages.
 * @param name `index` for signed-in people, `viewer` for the frame that shows contents
 * @param root path of the instance, without a trailing slash
 */
export function clientDocument(name: 'index' | 'viewer', root: string): string {
  const template = templates.get(name) ?? readFileSync(join(clientDirectory(), `${name}.html`), 'utf8');
  templates.set(name, template);
  return template
    .replaceAll('"./assets/', `"${root}/web/assets/`)
    .replace('name="root" content=""', `name="root" content="${root}"`);
}

/** A script, style sheet or picture of the pages. @returns undefined for an unknown name */
export function clientFile(name: string): ClientFile | undefined {
  files ??= new Map(readdirSync(join(clientDirectory(), 'assets')).map((file) => [file, readFile(file)]));
  return files.get(name);
}

function readFile(name: string): ClientFile {
  const identity = readFileSync(join(clientDirectory(), 'assets', name));
  const mediaType = MEDIA_TYPES[extname(name)] ?? 'application/octet-stream';
  return { mediaType, identity, br: brotliCompressSync(identity, QUALITY), gzip: gzipSync(identity) };
}
