import { hrefOf, nameOf, parsePath, type NodePath, type VisibleNode } from '#storage';

export type LinkView = 'list' | 'tiles';

const PICTURES = /^image\/(?:jpeg|png|gif|webp|avif|bmp|tiff)$/;
const PREVIEW_PIXELS = '256';

/** Addresses on the page of a link. */
export class LinkAddresses {
  /**
   * @param root path of PUBLIC_URL, without a trailing slash
   * @param signed parameters that open addresses of a protected link; none without a password
   */
  constructor(
    private readonly root: string,
    private readonly token: string,
    private readonly signed: Readonly<Record<string, string>>,
    private readonly view: LinkView,
  ) {}

  /** The page of a folder; the default view is that of this page. @param part of a long folder, starting at 1 */
  page(path: string, view: LinkView = this.view, part = 1): string {
    const shown = { ...(view === 'tiles' && { view }), ...(part > 1 && { part: String(part) }) };
    return `${this.root}/s/${this.token}${queryOf({ ...placeOf(path), ...shown, ...this.signed })}`;
  }

  above(path: NodePath): string {
    return this.page(path.slice(0, path.length - nameOf(path).length - 1));
  }

  /** Address for a form that downloads a folder, or the chosen entries of it. */
  archive(path: NodePath): string {
    return `${this.root}/s/${this.token}/download${queryOf({ ...placeOf(path), ...this.signed })}`;
  }

  content(node: VisibleNode): string {
    const path = node.isMountRoot ? parsePath(node.row.name) : node.path;
    return `${this.root}${hrefOf(this.dav, path, false)}${queryOf(this.signed)}`;
  }

  /** Address for a form that uploads files into a folder. @param signed parameters that allow it */
  upload(path: NodePath, signed: Readonly<Record<string, string>>): string {
    const shown: Record<string, string> = this.view === 'tiles' ? { view: this.view } : {};
    return `${this.root}/s/${this.token}/files${queryOf({ ...placeOf(path), ...shown, ...signed })}`;
  }

  /** The WebDAV address of a folder. */
  folder(path: NodePath): string {
    return this.root + hrefOf(this.dav, path, true);
  }

  preview({ path, row }: VisibleNode): string | undefined {
    if (!PICTURES.test(row.mimetype)) return undefined;
    const size = { x: PREVIEW_PIXELS, y: PREVIEW_PIXELS, a: '1', scalingup: '0' };
    const query = queryOf({ file: path, ...size, ...this.signed });
    return `${this.root}/index.php/apps/files_sharing/publicpreview/${this.token}${query}`;
  }

  /** WebDAV path of the link's root, without `root`. */
  get dav(): string {
    return `/remote.php/dav/public-files/${this.token}`;
  }
}

const placeOf = (path: string): Record<string, string> => (path === '' ? {} : { path });

function queryOf(parameters: Record<string, string>): string {
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? '' : `?${query}`;
}
