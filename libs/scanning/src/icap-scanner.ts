import { createHash, type Hash } from 'node:crypto';
import {
  findingIn,
  optionsHead,
  parseHead,
  questionHead,
  readOptions,
  type IcapHead,
  type IcapOptions,
} from './icap-messages';
import { findingOf, ScannerFailure, type ScannedContent, type Scanner, type ScannerAnswer } from './scanner';
import { ScannerConnection, type ScannerEndpoint } from './scanner-connection';

const MAX_HEAD_BYTES = 64 * 1024;
const MAX_READ_BYTES = 64 * 1024;
const CLEAN = { kind: 'clean' } as const;
const END = '0\r\n\r\n';
const END_OF_WHOLE_PREVIEW = '0; ieof\r\n\r\n';

/** A content that is being sent, divided if the service wants a preview first. */
interface Transfer {
  readonly options: IcapOptions;
  /** Bytes of the whole content. */
  readonly size: number;
  readonly bytes: AsyncIterator<Buffer, undefined>;
  /** Digest of the sent bytes. */
  readonly digest: Hash;
  /** Bytes that were read from the content and not sent yet. */
  rest: Buffer;
  /** Whether nothing more has to be sent. */
  isDecided: boolean;
}

/** A service of an ICAP server, by RESPMOD or REQMOD. Source: RFC 3507. */
export class IcapScanner implements Scanner {
  private options: { readonly known: IcapOptions; readonly until: number } | undefined;

  /** @param address `icap://host:port/service` @param limitMs time limit of one scan */
  constructor(
    private readonly endpoint: ScannerEndpoint,
    private readonly address: string,
    private readonly limitMs: number,
  ) {}

  async scan(open: () => Promise<ScannedContent>, isRepeated = false): Promise<ScannerAnswer> {
    const options = await this.knownOptions();
    return this.ask(async (connection) => {
      const content = await open();
      // It may fail before it is read. Its reader then finds it destroyed.
      content.body.on('error', () => undefined);
      const bytes = content.body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
      const { size } = content;
      const digest = createHash('sha1');
      const transfer = { options, size, bytes, digest, rest: Buffer.alloc(0), isDecided: false };
      try {
        await connection.write(questionHead(this.address, options, content));
        return await exchange(connection, transfer);
      } finally {
        content.body.destroy();
      }
    }, isRepeated);
  }

  async describe(): Promise<string> {
    this.options = undefined;
    return (await this.knownOptions()).description;
  }

  private async knownOptions(): Promise<IcapOptions> {
    if (this.options && Date.now() < this.options.until) return this.options.known;
    const known = await this.ask(async (connection) => {
      await connection.write(optionsHead(this.address));
      return readOptions(await readHead(connection));
    });
    this.options = { known, until: Date.now() + known.holdsMs };
    return known;
  }

  /** After a failure the service may have changed, so its properties are requested again. */
  private async ask<T>(question: (connection: ScannerConnection) => Promise<T>, isSlow = false): Promise<T> {
    const connection = await ScannerConnection.open(this.endpoint, this.limitMs, isSlow);
    try {
      return await question(connection);
    } catch (error) {
      this.options = undefined;
      throw error;
    } finally {
      connection.close();
    }
  }
}

const readHead = async (connection: ScannerConnection): Promise<IcapHead> =>
  parseHead(await connection.readTo('\r\n\r\n', MAX_HEAD_BYTES));

async function exchange(connection: ScannerConnection, transfer: Transfer): Promise<ScannerAnswer> {
  const { previewBytes } = transfer.options;
  if (previewBytes !== undefined) {
    await sendPreview(connection, previewBytes, transfer);
    const head = await readHead(connection);
    if (head.status !== 100) return judge(connection, head, transfer);
  }
  // The service may return content while it still receives it.
  const [answer] = await Promise.all([
    readHead(connection)
      .then((head) => judge(connection, head, transfer))
      .finally(() => (transfer.isDecided = true)),
    sendRest(connection, transfer),
  ]);
  return answer;
}

async function sendPreview(
  connection: ScannerConnection,
  previewBytes: number,
  transfer: Transfer,
): Promise<void> {
  const { size } = transfer;
  while (transfer.rest.length < Math.min(previewBytes, size)) {
    const step = await transfer.bytes.next();
    if (step.done) break;
    transfer.rest = Buffer.concat([transfer.rest, step.value]);
  }
  const preview = transfer.rest.subarray(0, previewBytes);
  transfer.rest = transfer.rest.subarray(previewBytes);
  await sendChunk(connection, preview, transfer);
  await connection.write(size <= previewBytes ? END_OF_WHOLE_PREVIEW : END);
}

async function sendRest(connection: ScannerConnection, transfer: Transfer): Promise<void> {
  for (let bytes = transfer.rest; !transfer.isDecided;) {
    await sendChunk(connection, bytes, transfer);
    const step = await transfer.bytes.next();
    if (step.done) return connection.write(END);
    bytes = step.value;
  }
}

async function sendChunk(connection: ScannerConnection, bytes: Buffer, { digest }: Transfer): Promise<void> {
  if (bytes.length === 0) return;
  digest.update(bytes);
  await connection.write(
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]),
  );
}

/** Gives an answer its meaning. */
async function judge(
  connection: ScannerConnection,
  head: IcapHead,
  transfer: Transfer,
): Promise<ScannerAnswer> {
  const { status, reason, headers } = head;
  const named = findingIn(head);
  if (named) return named;
  if (status === 204) return CLEAN;
  if (status === 413) return { kind: 'too-large' };
  if (status !== 200) throw new ScannerFailure(`the ICAP server answers: ${status} ${reason}`);
  const parts = (headers.get('encapsulated') ?? '').split(',').map((part) => part.trim().split('=')[0]!);
  if (parts.includes('res-hdr')) {
    const inside = await readHead(connection);
    // In REQMOD, an answer instead of a request is the page of a block, and so is content that is not ours.
    if (transfer.options.method === 'REQMOD' || inside.status !== 200)
      return findingOf('blocked by the scanner');
  } else if (parts.includes('req-hdr')) await connection.readTo('\r\n\r\n', MAX_HEAD_BYTES);
  const hasBody = parts.includes('req-body') || parts.includes('res-body');
  return hasBody && (await returnsAll(connection, transfer)) ? CLEAN : findingOf('changed by the scanner');
}

/** Whether the content comes back unchanged. */
async function returnsAll(connection: ScannerConnection, { digest, size }: Transfer): Promise<boolean> {
  const returned = createHash('sha1');
  let count = 0;
  for await (const bytes of chunksOf(connection)) {
    returned.update(bytes);
    count += bytes.length;
  }
  // When this number of bytes has come back, all bytes were sent.
  return count === size && returned.digest('hex') === digest.copy().digest('hex');
}

async function* chunksOf(connection: ScannerConnection): AsyncGenerator<Buffer> {
  for (;;) {
    const length = /^([0-9a-f]{1,8})(?:;.*)?$/i.exec(await connection.readTo('\r\n', 1024))?.[1];
    if (length === undefined) throw new ScannerFailure('the answer is not of ICAP');
    let left = Number.parseInt(length, 16);
    if (left === 0) return;
    while (left > 0) {
      const bytes = await connection.readSome(Math.min(left, MAX_READ_BYTES));
      left -= bytes.length;
      yield bytes;
    }
    await connection.readTo('\r\n', 0);
  }
}
