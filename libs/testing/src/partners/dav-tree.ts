import { createHash } from 'node:crypto';

/** Bytes, or a number of letters `x`: files of any size that need no memory. */
export type DavContent = Buffer | { readonly size: number };

export interface DavNode {
  readonly kind: 'file' | 'folder';
  readonly content: DavContent;
  readonly etag: string;
  readonly mtime: Date;
}

export const sizeOf = (content: DavContent): number =>
  Buffer.isBuffer(content) ? content.length : content.size;

let version = 0;

/** Shared content of a fake partner. Paths are `''` for the root and `/folder/name` below it; nothing is checked. */
export class DavTree {
  private readonly nodes = new Map<string, DavNode>();

  constructor() {
    this.folder('');
  }

  folder(path: string): void {
    this.set(path, 'folder', Buffer.alloc(0), new Date());
  }

  /** A file at `''` makes the share that of a single file. */
  file(path: string, content: DavContent | string, mtime = new Date()): void {
    this.set(path, 'file', typeof content === 'string' ? Buffer.from(content) : content, mtime);
  }

  get(path: string): DavNode | undefined {
    return this.nodes.get(path);
  }

  textOf(path: string): string | undefined {
    const content = this.nodes.get(path)?.content;
    return Buffer.isBuffer(content) ? content.toString('utf8') : undefined;
  }

  /** Paths of a folder's direct children, in the order of adding. */
  childrenOf(path: string): string[] {
    return [...this.nodes.keys()].filter((one) => one !== '' && one.slice(0, one.lastIndexOf('/')) === path);
  }

  remove(path: string): void {
    for (const one of this.nodes.keys())
      if (one === path || one.startsWith(`${path}/`)) this.nodes.delete(one);
  }

  move(from: string, to: string): void {
    const moved = [...this.nodes].filter(([one]) => one === from || one.startsWith(`${from}/`));
    this.remove(to);
    this.remove(from);
    for (const [path, node] of moved) this.nodes.set(to + path.slice(from.length), node);
  }

  private set(path: string, kind: DavNode['kind'], content: DavContent, mtime: Date): void {
    const etag = createHash('md5').update(`${path} ${++version}`).digest('hex');
    this.nodes.set(path, { kind, content, etag, mtime });
  }
}
