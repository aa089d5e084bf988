import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import {
  RemoteFailure,
  type RemoteContent,
  type RemoteEntry,
  type RemoteFailureCode,
  type RemoteFiles,
  type RemotePage,
  type RemoteShare,
  type RemoteWrite,
} from '#federation/remote-files';
import { READ } from '#sharing';

type Operation = keyof RemoteFiles;

interface FakeNode {
  readonly content: Buffer | null;
  readonly mtime: Date;
}

/** The files of partners in memory: a tree for each provider id, with optional faults. */
export class FakeRemoteFiles implements RemoteFiles {
  /** Entries such as `probe folder-1 /a 1`, in the order of the calls. */
  readonly calls: string[] = [];
  /** Permissions in the answers about roots. Without the permission to read, a share shows no entries. */
  permissions: number | null = null;
  private readonly trees = new Map<string, Map<string, FakeNode>>();
  private readonly failures = new Map<Operation | 'all', RemoteFailureCode>();
  private hanging: (() => void)[] | undefined;
  private readonly held = new Map<Operation, Promise<void>>();
  private brokenAfter: number | undefined;
  private change: { providerId: string; path: string; content: string } | undefined;
  private arrival: { providerId: string; path: string; content: string } | undefined;

  /** Writes into a partner's tree as its own users would; null makes a folder. */
  set(providerId: string, path: string, content: string | Buffer | null): void {
    this.treeOf(providerId).set(path, {
      content: content === null ? null : Buffer.from(content),
      mtime: new Date(),
    });
  }

  drop(providerId: string, path: string): void {
    const tree = this.treeOf(providerId);
    for (const key of [...tree.keys()]) if (key === path || key.startsWith(`${path}/`)) tree.delete(key);
  }

  /** Overwrites a file after its next read. */
  changeAfterRead(providerId: string, path: string, content: string): void {
    this.change = { providerId, path, content };
  }

  /** Completes another request, such as an earlier one whose answer was lost, just before the next write. */
  arriveBeforeWrite(providerId: string, path: string, content: string): void {
    this.arrival = { providerId, path, content };
  }

  /** undefined if there is no such file. */
  content(providerId: string, path: string): string | undefined {
    return this.treeOf(providerId).get(path)?.content?.toString();
  }

  /** Paths of a partner's tree, without its root. */
  paths(providerId: string): string[] {
    return [...this.treeOf(providerId).keys()].filter((path) => path !== '').sort();
  }

  /** Makes every such operation fail from now on; `undefined` ends that. */
  fail(code: RemoteFailureCode | undefined, operation: Operation | 'all' = 'all'): void {
    if (code) this.failures.set(operation, code);
    else this.failures.delete(operation);
  }

  /** Holds back all answers until `release`. */
  hang(): void {
    this.hanging = [];
  }

  /** Holds back the next such operation alone, until the returned function is called. */
  holdNext(operation: Operation): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.held.set(operation, promise);
    return resolve;
  }

  release(): void {
    for (const go of this.hanging ?? []) go();
    this.hanging = undefined;
  }

  /** Interrupts reading and writing after this number of bytes; undefined ends that. */
  breakOffAfter(bytes: number | undefined): void {
    this.brokenAfter = bytes;
  }

  async greet(share: RemoteShare): Promise<void> {
    await this.enter('greet', share, '');
  }

  async confirm(share: RemoteShare): Promise<void> {
    await this.enter('confirm', share, '');
  }

  async enterWebapp(share: RemoteShare, { uri }: RemotePage): Promise<{ uri: string; token: string }> {
    await this.enter('enterWebapp', share, uri);
    return { uri, token: `token of ${share.providerId}` };
  }

  /** The listing shows the state at the time of the request, even if the answer comes late. */
  async probe(share: RemoteShare, path: string, depth: 0 | 1): Promise<RemoteEntry[]> {
    const tree = this.treeOf(share.providerId);
    const shows = this.permissions === null || (this.permissions & READ) !== 0;
    const isListed = (key: string): boolean => depth === 1 && key !== '' && parentOf(key) === path;
    const below = shows ? [...tree.keys()].filter(isListed) : [];
    const entries =
      tree.has(path) && (shows || path === '')
        ? [path, ...below].map((key) => this.entryOf(tree, key))
        : undefined;
    await this.enter('probe', share, `${path} ${depth}`);
    if (!entries) throw failure(share, 'missing');
    return entries;
  }

  async read(
    share: RemoteShare,
    path: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<RemoteContent> {
    await this.enter('read', share, path);
    const tree = this.treeOf(share.providerId);
    const node = tree.get(path);
    if (!node?.content) throw failure(share, 'missing');
    const part = range ? node.content.subarray(range.start, range.end + 1) : node.content;
    const { etag, mtime, size } = this.entryOf(tree, path);
    this.changeNow(share, path);
    return { body: this.bodyOf(share, part), size, range, etag, mtime };
  }

  private changeNow({ providerId }: RemoteShare, path: string): void {
    if (this.change?.providerId !== providerId || this.change.path !== path) return;
    this.set(providerId, path, this.change.content);
    this.change = undefined;
  }

  async readIfChanged(
    share: RemoteShare,
    path: string,
    etag: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<RemoteContent | 'unchanged'> {
    const tree = this.treeOf(share.providerId);
    if (!tree.has(path) || this.entryOf(tree, path).etag !== etag) return this.read(share, path, range);
    await this.enter('readIfChanged', share, path);
    this.changeNow(share, path);
    return 'unchanged';
  }

  async write(
    share: RemoteShare,
    path: string,
    content: Readable,
    options: RemoteWrite = {},
  ): Promise<{ created: boolean; etag: string | null }> {
    await this.enter('write', share, path);
    if (this.arrival) this.set(this.arrival.providerId, this.arrival.path, this.arrival.content);
    this.arrival = undefined;
    const tree = this.treeOf(share.providerId);
    const existing = tree.get(path);
    this.assertExpected(share, tree, path, options.expects);
    if (tree.get(parentOf(path))?.content !== null && path !== '') throw failure(share, 'conflict');
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of content as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (this.brokenAfter !== undefined && size > this.brokenAfter) throw failure(share, 'unreachable');
    }
    if (options.size !== undefined && options.size !== size) throw failure(share, 'not-understood');
    tree.set(path, { content: Buffer.concat(chunks), mtime: options.mtime ?? new Date() });
    return { created: existing === undefined, etag: this.entryOf(tree, path).etag };
  }

  async makeFolder(share: RemoteShare, path: string): Promise<void> {
    await this.enter('makeFolder', share, path);
    const tree = this.treeOf(share.providerId);
    if (tree.has(path)) throw failure(share, 'exists');
    if (!tree.has(parentOf(path))) throw failure(share, 'conflict');
    this.set(share.providerId, path, null);
  }

  async remove(share: RemoteShare, path: string): Promise<void> {
    await this.enter('remove', share, path);
    if (!this.treeOf(share.providerId).has(path)) throw failure(share, 'missing');
    this.drop(share.providerId, path);
  }

  async move(share: RemoteShare, from: string, to: string, overwrite: boolean): Promise<void> {
    await this.enter('move', share, `${from} ${to}`);
    const tree = this.treeOf(share.providerId);
    if (!tree.has(from)) throw failure(share, 'missing');
    if (tree.has(to) && !overwrite) throw failure(share, 'precondition-failed');
    this.drop(share.providerId, to);
    for (const [key, node] of [...tree]) {
      if (key !== from && !key.startsWith(`${from}/`)) continue;
      tree.delete(key);
      tree.set(to + key.slice(from.length), node);
    }
  }

  private async enter(operation: Operation, share: RemoteShare, what: string): Promise<void> {
    this.calls.push(`${operation} ${share.providerId} ${what}`);
    const held = this.held.get(operation);
    this.held.delete(operation);
    await held;
    await new Promise<void>((resolve) => (this.hanging ? this.hanging.push(resolve) : resolve()));
    const alike = operation === 'readIfChanged' ? 'read' : operation;
    const code = this.failures.get(alike) ?? this.failures.get('all');
    if (code) throw failure(share, code);
  }

  private assertExpected(
    share: RemoteShare,
    tree: Map<string, FakeNode>,
    path: string,
    expects: string | null | undefined,
  ): void {
    const current = tree.has(path) ? this.entryOf(tree, path).etag : null;
    if (expects !== undefined && expects !== current) throw failure(share, 'precondition-failed');
  }

  private bodyOf(share: RemoteShare, part: Buffer): Readable {
    if (this.brokenAfter === undefined) return Readable.from([part]);
    const body = new PassThrough();
    body.write(part.subarray(0, this.brokenAfter), () =>
      setImmediate(() => body.destroy(failure(share, 'unreachable'))),
    );
    return body;
  }

  private entryOf(tree: Map<string, FakeNode>, path: string): RemoteEntry {
    const { content, mtime } = tree.get(path)!;
    const inside = [...tree].filter(([key]) => key === path || key.startsWith(`${path}/`));
    const state = inside.map(
      ([key, node]) => `${key} ${node.mtime.getTime()} ${node.content?.toString('hex') ?? ''}`,
    );
    return {
      path: path as RemoteEntry['path'],
      kind: content === null ? 'folder' : 'file',
      size: inside.reduce((sum, [, node]) => sum + (node.content?.length ?? 0), 0),
      mtime,
      etag: createHash('md5').update(state.join('\n')).digest('hex'),
      mimetype: content === null ? null : 'text/plain',
      permissions: path === '' ? this.permissions : null,
    };
  }

  private treeOf(providerId: string): Map<string, FakeNode> {
    const tree =
      this.trees.get(providerId) ?? new Map<string, FakeNode>([['', { content: null, mtime: new Date() }]]);
    this.trees.set(providerId, tree);
    return tree;
  }
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const failure = (share: RemoteShare, code: RemoteFailureCode): RemoteFailure =>
  new RemoteFailure(
    code,
    share.hostKey,
    `told to be ${code}`,
    undefined,
    code === 'unreachable' ? 'away' : 'answered',
  );
