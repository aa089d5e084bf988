import { Injectable } from '@nestjs/common';
import { AuthenticationFailed } from '#identity';
import { PublicAddress, type EdgeReply } from '#platform';
import {
  accessThrough,
  admitDownload,
  hrefOf,
  LinkAccess,
  LinkSignatures,
  nameOf,
  NodeTree,
  parsePath,
  viewOf,
  type FoundLink,
  type NodePath,
  type VisibleNode,
} from '#storage';
import { markup, type Html } from '../pages/html';
import { PageReply, RedirectReply } from '../pages/page-reply';
import {
  dropContent,
  fileContent,
  folderContent,
  passwordContent,
  saveContent,
  type LinkEntry,
} from './link-page-content';

/** A request for a link's page. */
export interface LinkVisit {
  readonly token: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly address: string;
}

/** More entries of one folder are not shown on a page; WebDAV lists them all. */
const MAX_ENTRIES = 1000;

/** Pages of public links: downloads, without any script. */
@Injectable()
export class LinkPages {
  constructor(
    private readonly links: LinkAccess,
    private readonly signatures: LinkSignatures,
    private readonly tree: NodeTree,
    private readonly publicAddress: PublicAddress,
  ) {}

  /** @throws LinkUnavailable, BudgetSpent, TreeFailure for a path that is not there */
  async show(visit: LinkVisit): Promise<EdgeReply> {
    const link = await this.links.visit(visit.token, visit.address);
    const query = this.signedQuery(link, visit);
    if (query === undefined) return passwordPage(200, false);
    const view = viewOf(link, false);
    const node = await this.tree.stat(view, parsePath(textOf(visit.query.path)));
    const save = await this.saveForm(link, visit, node);
    if (node.row.kind === 'file') return this.filePage(visit, node, query, save);
    if (!node.access.may('list')) return this.dropPage(visit, node);
    const nodes = await this.tree.list(view, node);
    const entries = nodes.slice(0, MAX_ENTRIES).map((entry) => this.entryOf(visit, entry, query));
    const parent = node.isMountRoot ? undefined : this.pageHref(visit, folderAbove(node.path), query);
    const content = folderContent(entries, parent, nodes.length - entries.length);
    return new PageReply(200, node.row.name, markup`${content}${save}`);
  }

  /** Checks a password; the signed address of the page is given for the right one. @throws AuthenticationFailed */
  async unlock(visit: LinkVisit, password: string): Promise<EdgeReply> {
    const link = await this.links.visit(visit.token, visit.address);
    try {
      await this.links.unlock(link, password, visit.address);
    } catch (error) {
      const refused = error instanceof AuthenticationFailed && ['wrong', 'missing'].includes(error.reason);
      if (refused) return passwordPage(403, true);
      throw error;
    }
    const query = link.row.passwordHash === null ? '' : queryOf({ ...this.signatures.sign(link) });
    return new RedirectReply(this.pageHref(visit, '', query));
  }

  /** The content of a shared file; the page of anything else. @throws TreeFailure `view-only` */
  async download(visit: LinkVisit): Promise<EdgeReply> {
    const link = await this.links.visit(visit.token, visit.address);
    const query = this.signedQuery(link, visit);
    if (query === undefined || link.row.kind === 'folder') return this.show(visit);
    const node = await this.tree.stat(viewOf(link, false), parsePath(''));
    admitDownload(node);
    return new RedirectReply(this.contentHref(visit, node, query));
  }

  /** Query that lets addresses below the link work without the password; undefined while the password has to be given. */
  private signedQuery(link: FoundLink, visit: LinkVisit): string | undefined {
    if (link.row.passwordHash === null) return '';
    const signature = this.signatures.read(link, visit.query);
    return signature && queryOf({ ...signature });
  }

  private filePage(visit: LinkVisit, node: VisibleNode, query: string, save: Html): PageReply {
    const content = fileContent(this.entryOf(visit, node, query));
    return new PageReply(200, node.row.name, markup`${content}${save}`);
  }

  /** Where what the link shows can be had at another server, a form for that; on the page of the link itself only. */
  private async saveForm(link: FoundLink, visit: LinkVisit, node: VisibleNode): Promise<Html> {
    const access = accessThrough(link);
    const canBeSaved = node.isMountRoot && access.may('list') && access.may('download');
    if (!canBeSaved || !(await this.links.mayBeMounted())) return markup``;
    const outcomes = { yes: 'saved', no: 'refused' } as const;
    return saveContent({
      action: `${this.root}/index.php/apps/federatedfilesharing/createFederatedShare`,
      token: visit.token,
      signature: this.signatures.read(link, visit.query),
      outcome:
        visit.query.saved === 'yes' || visit.query.saved === 'no' ? outcomes[visit.query.saved] : undefined,
    });
  }

  private dropPage(visit: LinkVisit, node: VisibleNode): PageReply {
    const address = `${this.publicAddress.url}${davBase(visit)}/`;
    return new PageReply(200, node.row.name, dropContent(address));
  }

  private entryOf(visit: LinkVisit, node: VisibleNode, query: string): LinkEntry {
    const { name, kind, size } = node.row;
    if (kind === 'folder') return { name, kind, size, href: this.pageHref(visit, node.path, query) };
    const href = node.access.may('download') ? this.contentHref(visit, node, query) : undefined;
    return { name, kind, size, href };
  }

  private pageHref({ token }: LinkVisit, path: string, query: string): string {
    const parameters = [path === '' ? '' : queryOf({ path }), query].filter(Boolean).join('&');
    return `${this.root}/s/${token}${parameters === '' ? '' : `?${parameters}`}`;
  }

  private contentHref(visit: LinkVisit, node: VisibleNode, query: string): string {
    const path = node.isMountRoot ? parsePath(node.row.name) : node.path;
    return `${this.root}${hrefOf(davBase(visit), path, false)}${query === '' ? '' : `?${query}`}`;
  }

  /** Path of PUBLIC_URL, without a trailing slash. */
  private get root(): string {
    return new URL(this.publicAddress.url).pathname.replace(/\/$/, '');
  }
}

const davBase = ({ token }: LinkVisit): string => `/remote.php/dav/public-files/${token}`;
const queryOf = (parameters: Record<string, string>): string => new URLSearchParams(parameters).toString();
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const folderAbove = (path: NodePath): string => path.slice(0, path.length - nameOf(path).length - 1);

function passwordPage(status: 200 | 403, wasWrong: boolean): PageReply {
  return new PageReply(status, 'This link is protected', passwordContent(wasWrong));
}
