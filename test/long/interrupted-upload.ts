import { createHash, randomBytes } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { KilledReplicas } from './killed-replicas';

const BLOCK = 1024 * 1024;
const MOST_ATTEMPTS = 1000;
type Headers = Readonly<Record<string, string | number>>;

export type Protocol = 'chunks' | 'named chunks' | 'TUS';

/** Uploads a file of some blocks of one mebibyte to replicas that are killed at even distances. */
export class InterruptedUpload {
  private readonly block = randomBytes(BLOCK);
  private sent = 0;
  private killed = 0;

  constructor(
    private readonly replicas: KilledReplicas,
    private readonly blocks: number,
    private readonly kills: number,
    private readonly chunkBlocks: number,
  ) {}

  /** SHA1 of the content in hexadecimal. */
  get digest(): string {
    const hash = createHash('sha1');
    for (let at = 0; at < this.blocks; at++) hash.update(this.blockAt(at));
    return hash.digest('hex');
  }

  /** Uploads all of it; after each interruption it continues at the other replica. */
  async send(protocol: Protocol, name: string): Promise<void> {
    if (protocol === 'TUS') await this.sendByTus(name);
    else if (protocol === 'chunks') await this.sendInChunks(name);
    else await this.sendInNamedChunks(name);
  }

  /** SHA1 of a file's content. */
  async digestOf(name: string): Promise<string> {
    const hash = createHash('sha1');
    const reply = await this.ask('GET', this.fileAt(name));
    for await (const bytes of reply) hash.update(bytes as Buffer);
    return hash.digest('hex');
  }

  /** Deletes a file and empties the trash bin. */
  async remove(name: string): Promise<void> {
    for (const path of [this.fileAt(name), `/remote.php/dav/trash-bin/${this.replicas.uid}`])
      await this.statusOf('DELETE', path);
  }

  private async sendInChunks(name: string): Promise<void> {
    const upload = `/remote.php/dav/uploads/${this.replicas.uid}/${name}`;
    await this.succeed(() => this.statusOf('MKCOL', upload), [201, 405]);
    const count = Math.ceil(this.blocks / this.chunkBlocks);
    for (let chunk = 0; chunk < count; chunk++)
      await this.succeed(() => this.putChunk(`${upload}/${chunk + 1}`, chunk), [201]);
    const destination = `http://any${this.fileAt(name)}`;
    const headers = { destination, 'oc-total-length': this.blocks * BLOCK };
    // The answer to a MOVE that succeeded may be lost.
    await this.succeed(() => this.statusOf('MOVE', `${upload}/.file`, headers), [201, 204, 404]);
  }

  private async sendInNamedChunks(name: string): Promise<void> {
    const count = Math.ceil(this.blocks / this.chunkBlocks);
    for (let chunk = 0; chunk < count; chunk++) {
      const address = `${this.fileAt(name)}-chunking-1-${count}-${chunk}`;
      await this.succeed(() => this.putChunk(address, chunk, { 'oc-chunked': '1' }), [201, 204]);
    }
  }

  private async sendByTus(name: string): Promise<void> {
    const headers = {
      'tus-resumable': '1.0.0',
      'upload-length': this.blocks * BLOCK,
      'upload-metadata': `filename ${Buffer.from(name).toString('base64')}`,
    };
    const created = await this.ask('POST', `/remote.php/dav/files/${this.replicas.uid}`, headers);
    const { pathname } = new URL(created.resume().headers.location!);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const offset = await this.offsetAt(pathname);
      if (offset === this.blocks * BLOCK) return;
      if (offset !== undefined) await this.patch(pathname, offset);
      this.replicas.switchOver();
    }
    throw new Error('the upload did not end');
  }

  private async offsetAt(address: string): Promise<number | undefined> {
    const reply = await this.ask('HEAD', address, { 'tus-resumable': '1.0.0' }).catch(() => undefined);
    return reply && Number(reply.resume().headers['upload-offset']);
  }

  /** One request with the rest of the content, or an interrupted one. */
  private async patch(address: string, offset: number): Promise<void> {
    const headers = {
      ...{
        'tus-resumable': '1.0.0',
        'upload-offset': offset,
        'content-type': 'application/offset+octet-stream',
      },
      'content-length': this.blocks * BLOCK - offset,
    };
    await this.statusOf('PATCH', address, headers, () => this.content(offset, this.blocks * BLOCK)).catch(
      () => 0,
    );
  }

  private putChunk(address: string, chunk: number, headers: Headers = {}): Promise<number> {
    const start = chunk * this.chunkBlocks * BLOCK;
    const end = Math.min(start + this.chunkBlocks * BLOCK, this.blocks * BLOCK);
    return this.statusOf('PUT', address, { ...headers, 'content-length': end - start }, () =>
      this.content(start, end),
    );
  }

  /** Repeats a step at the other replica until its answer has one of these statuses. */
  private async succeed(step: () => Promise<number>, wanted: readonly number[]): Promise<void> {
    let last: unknown;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const status = await step().catch((error: unknown) => {
        last = error;
        return 0;
      });
      if (wanted.includes(status)) return;
      if (status !== 0 && status < 500) throw new Error(`answered ${status}`);
      this.replicas.switchOver();
    }
    throw last;
  }

  private fileAt(name: string): string {
    return `/remote.php/dav/files/${this.replicas.uid}/${name}`;
  }

  private blockAt(at: number): Buffer {
    this.block.writeUInt32BE(at);
    return this.block;
  }

  private async *content(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end;) {
      const index = Math.floor(at / BLOCK);
      const block = this.blockAt(index).subarray(at - index * BLOCK, Math.min(BLOCK, end - index * BLOCK));
      at += block.length;
      this.sent += block.length;
      yield Buffer.from(block);
      const due = Math.floor((this.sent * (this.kills + 1)) / (this.blocks * BLOCK));
      if (this.killed >= Math.min(due, this.kills)) continue;
      this.killed++;
      await this.replicas.kill();
    }
  }

  private async statusOf(
    method: string,
    path: string,
    headers: Headers = {},
    body?: () => AsyncGenerator<Buffer>,
  ): Promise<number> {
    return (await this.ask(method, path, headers, body)).resume().statusCode!;
  }

  private async ask(
    method: string,
    path: string,
    headers: Headers = {},
    body?: () => AsyncGenerator<Buffer>,
  ): Promise<IncomingMessage> {
    const port = await this.replicas.port();
    const { authorization } = this.replicas;
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: false,
      headers: { authorization, ...headers },
    });
    const answered = new Promise<IncomingMessage>((done, failed) => {
      outgoing
        .on('response', done)
        .on('error', failed)
        .on('close', () => failed(new Error('closed')));
    });
    if (!body) outgoing.end();
    else await pipeline(Readable.from(body()), outgoing).catch(() => undefined);
    return answered;
  }
}
