import { CHECKSUM_ALGORITHMS, parseChecksum, DavFailure, type PutChecksum } from '#storage';

export const TUS_VERSION = '1.0.0';
const TUS_EXTENSIONS = 'creation,creation-with-upload,checksum,termination,expiration,concatenation';

/** Headers that announce the supported features. */
export const TUS_OFFER = {
  'tus-resumable': TUS_VERSION,
  'tus-version': TUS_VERSION,
  'tus-extension': TUS_EXTENSIONS,
  'tus-checksum-algorithm': CHECKSUM_ALGORITHMS.join(','),
} as const;

const MAX_METADATA_CHARACTERS = 8192;
const MAX_JOINED = 1000;

/** `Upload-Metadata`: names with values in Base64. @throws DavFailure `bad-request` */
export function parseMetadata(header: string | undefined): ReadonlyMap<string, string> {
  if ((header ?? '').length > MAX_METADATA_CHARACTERS)
    throw new DavFailure('bad-request', `Upload-Metadata has ${MAX_METADATA_CHARACTERS} characters at most`);
  const pairs = (header ?? '')
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');
  return new Map(pairs.map(readPair));
}

function readPair(pair: string): [string, string] {
  const [name, value = '', more] = pair.split(/ +/);
  if (more !== undefined || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value))
    throw new DavFailure('bad-request', 'Upload-Metadata is not understood');
  return [name!, Buffer.from(value, 'base64').toString('utf8')];
}

/** `Upload-Checksum`: an algorithm and a digest in Base64. @throws DavFailure `bad-request` for another algorithm */
export function parseUploadChecksum(header: string | undefined): PutChecksum | undefined {
  if (header === undefined) return undefined;
  const [algorithm = '', digest = ''] = header.trim().split(/ +/);
  const hex = Buffer.from(digest, 'base64').toString('hex');
  const checksum = parseChecksum(`${algorithm}:${hex}`);
  if (!checksum) throw new DavFailure('bad-request', `Checksums are ${CHECKSUM_ALGORITHMS.join(', ')}`);
  return checksum;
}

/** `Upload-Concat`: whether an upload is a part of another one, or the list of its parts. @throws DavFailure `bad-request` */
export function parseConcat(header: string | undefined): 'partial' | readonly string[] | undefined {
  if (header === undefined) return undefined;
  const [kind, list] = header.trim().split(/; */, 2);
  if (kind === 'partial') return 'partial';
  const names = (list ?? '')
    .split(/ +/)
    .filter((address) => address !== '')
    .map((address) => address.slice(address.lastIndexOf('/') + 1));
  if (kind !== 'final' || names.length === 0 || names.length > MAX_JOINED)
    throw new DavFailure('bad-request', 'Upload-Concat is not understood');
  return names;
}
