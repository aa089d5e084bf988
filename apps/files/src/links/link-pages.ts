import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Html, markup, PageReply, RedirectReply } from '#pages';
import { AuthenticationFailed } from '#identity';
import { PublicAddress, type EdgeReply } from '#platform';
import {
  accessThrough,
  isForAccounts,
  admitDownload,
  childOf,
  LinkAccess,
  LinkSignatures,
  NodeTree,
  parseName,
  parsePath,
  viewOf,
  type FoundLink,
  type LinkSignature,
  type VisibleNode,
} from '#storage';
import { ArchiveReplies } from '../archives/archive-replies';
import { archiveWantedBy } from '../archives/archive-request';
import { LinkAddresses, type LinkView } from './link-addresses';
import {
  aboutContent,
  dropContent,
  fileContent,
  folderContent,
  passwordContent,
  saveContent,
  type LinkEntry,
} from './link-page-content';
import { uploadContent } from './link-upload-content';
import type { LinkUpload } from './link-uploads';
import { linkTexts } from './link-texts';
import { outcomeIn } from './save-outcome';
import type { LinkVisit } from './link-visit';
import { PartnerGuests } from '../webapps/partner-guests';

/** Entries of a folder per page; further ones follow on the next page. */
const ENTRIES_OF_PART = 1000;

/** Access of a visitor to the pages of a link. */
interface Admitted {
  /** Opens the addresses on the page; missing if the link has no password. */
  readonly signature?: LinkSignature;
}

/** Pages of public links, which work without scripts. */
@Injectable()
export class LinkPages {
  constructor(
    private readonly links: LinkAccess,
    private readonly guests: PartnerGuests,
    private readonly signatures: LinkSignatures,
    private readonly tree: NodeTree,
    private readonly publicAddress: PublicAddress,
    private readonly archives: ArchiveReplies,
  ) {}

  /** @throws LinkUnavailable, BudgetSpent, TreeFailure for a missing path */
  async show(visit: LinkVisit): Promise<EdgeReply> {
    const link = await this.guests.visit(visit.token, visit.address, visit.cookies);
    const admitted = this.admit(link, visit);
    return admitted ? this.page(link, visit, admitted, []) : this.passwordPage(visit);
  }

  /** The page after an upload. Its addresses are valid as long as the address of the upload. */
  async showUploaded(visit: LinkVisit, uploaded: readonly LinkUpload[]): Promise<EdgeReply> {
    const link = await this.guests.visit(visit.token, visit.address, visit.cookies);
    if (link.row.passwordHash === null) return this.page(link, visit, {}, uploaded);
    const presented = this.signatures.readExpired(link, visit.query, 'upload');
    if (!presented) return this.passwordPage(visit);
    return this.page(link, visit, { signature: this.signatures.signAs(link, 'read', presented) }, uploaded);
  }

  private async page(
    link: FoundLink,
    visit: LinkVisit,
    { signature }: Admitted,
    uploaded: readonly LinkUpload[],
  ): Promise<EdgeReply> {
    const view = viewOf(link, false);
    const addresses = this.addressesWith(signature, visit);
    const path = await this.tree.spell(view, parsePath(textOf(visit.query.path)));
    const node = await this.tree.stat(view, path);
    const content = await this.contentOf(link, visit, node, addresses);
    const about = aboutContent(node.ownerDisplayName, link.row, linkTexts(visit.language));
    const signed = { ...(signature && this.signatures.signAs(link, 'upload', signature)) };
    const upload = uploadForm(visit, node, addresses, signed, uploaded);
    const save = await this.saveForm(link, visit, node, signature);
    return new PageReply(200, node.row.name, markup`${about}${upload}${content}${save}`, {
      language: visit.language,
      program: 'guest',
    });
  }

  private async contentOf(
    link: FoundLink,
    visit: LinkVisit,
    node: VisibleNode,
    addresses: LinkAddresses,
  ): Promise<Html> {
    const texts = linkTexts(visit.language);
    if (node.row.kind === 'file') return fileContent(entryOf(node, addresses), texts);
    if (!node.access.may('list')) return dropContent(`${this.publicAddress.url}${addresses.dav}/`, texts);
    const nodes = (await this.tree.list(viewOf(link, false), node)).toSorted(foldersFirst);
    const view = viewIn(visit);
    const part = partIn(visit, nodes.length);
    const addressOf = (number: number): string | undefined =>
      number < 1 || number > part.count ? undefined : addresses.page(node.path, view, number);
    const around = {
      parent: node.isMountRoot ? undefined : addresses.above(node.path),
      archive: node.access.may('download') ? addresses.archive(node.path) : undefined,
      size: node.row.size,
      part: { ...part, before: addressOf(part.number - 1), next: addressOf(part.number + 1) },
      view,
      otherView: addresses.page(node.path, view === 'tiles' ? 'list' : 'tiles'),
    };
    const shown = nodes.slice((part.number - 1) * ENTRIES_OF_PART, part.number * ENTRIES_OF_PART);
    const entries = shown.map((entry) => entryOf(entry, addresses));
    return folderContent(entries, around, texts);
  }

  /** Checks a password, and returns the signed address of the page if it is right. @throws AuthenticationFailed */
  async unlock(visit: LinkVisit, password: string): Promise<EdgeReply> {
    const link = await this.guests.visit(visit.token, visit.address, visit.cookies);
    try {
      await this.links.unlock(link, password, visit.address);
    } catch (error) {
      const refused = error instanceof AuthenticationFailed && ['wrong', 'missing'].includes(error.reason);
      if (refused) return this.passwordPage(visit, 'wrongPassword');
      throw error;
    }
    const signature = link.row.passwordHash === null ? undefined : this.signatures.sign(link);
    const addresses = this.addressesWith(signature, visit);
    return new RedirectReply(addresses.page(parsePath(textOf(visit.query.path))));
  }

  /** The form for the password of the requested folder. @param fault the reason why it is shown again */
  passwordPage(visit: LinkVisit, fault?: 'wrongPassword' | 'notUploaded'): PageReply {
    const { language, token, query } = visit;
    const texts = linkTexts(language);
    const action = new LinkAddresses(this.root, token, {}, viewIn(visit)).page(textOf(query.path));
    const content = passwordContent(action, fault && texts[fault], texts);
    return new PageReply(fault === undefined ? 200 : 403, texts.protected, content, { language });
  }

  /**
   * The content of a file; a folder, or chosen entries of it, as an archive; the page if a password is missing or files
   * can only be uploaded.
   * @throws TreeFailure, Unavailable
   */
  async download(visit: LinkVisit, request: FastifyRequest): Promise<EdgeReply> {
    const link = await this.guests.visit(visit.token, visit.address, visit.cookies);
    const admitted = this.admit(link, visit);
    if (!admitted) return this.show(visit);
    const addresses = this.addressesWith(admitted.signature, visit);
    const view = viewOf(link, false);
    const archive = archiveWantedBy(request);
    const place = await this.tree.spell(view, parsePath(textOf(visit.query.path)));
    const [first, ...others] = archive.chosen;
    const isOne = first !== undefined && others.length === 0;
    const path = isOne ? await this.tree.spell(view, childOf(place, parseName(first))) : place;
    const node = await this.tree.stat(view, path);
    if (node.row.kind === 'folder') {
      if (!node.access.may('list')) return this.show(visit);
      return this.archives.reply(request, view, node, isOne ? { ...archive, chosen: [] } : archive);
    }
    admitDownload(node);
    return new RedirectReply(addresses.content(node));
  }

  /** @returns undefined until the password was entered */
  private admit(link: FoundLink, visit: LinkVisit): Admitted | undefined {
    if (link.row.passwordHash === null) return {};
    const signature = this.signatures.read(link, visit.query);
    return signature && { signature };
  }

  private addressesWith(signature: LinkSignature | undefined, visit: LinkVisit): LinkAddresses {
    return new LinkAddresses(this.root, visit.token, { ...signature }, viewIn(visit));
  }

  /** A form for saving the link at another server, if that is possible; only on the first page of the link. */
  private async saveForm(
    link: FoundLink,
    visit: LinkVisit,
    node: VisibleNode,
    signature: LinkSignature | undefined,
  ): Promise<Html> {
    const access = accessThrough(link);
    const isForAll = node.isMountRoot && !isForAccounts(link) && !this.guests.isGuest(visit.token);
    const canBeSaved = isForAll && access.may('list') && access.may('download');
    if (!canBeSaved || !(await this.links.mayBeMounted())) return markup``;
    const form = {
      action: `${this.root}/index.php/apps/federatedfilesharing/createFederatedShare`,
      token: visit.token,
      signature,
      outcome: outcomeIn(visit.query.saved),
      cloudId: textOf(visit.query.shareWith),
    };
    return saveContent(form, linkTexts(visit.language));
  }

  /** Path of PUBLIC_URL, without a trailing slash. */
  private get root(): string {
    return this.publicAddress.path;
  }
}

/** A form that uploads files into the folder, if the link allows it. @param signed parameters that allow it */
function uploadForm(
  visit: LinkVisit,
  node: VisibleNode,
  addresses: LinkAddresses,
  signed: Readonly<Record<string, string>>,
  uploaded: readonly LinkUpload[],
): Html {
  if (node.row.kind !== 'folder' || !node.access.may('create')) return markup``;
  const form = {
    action: addresses.upload(node.path, signed),
    endpoint: addresses.folder(node.path),
    signature: new URLSearchParams(signed).toString(),
    isDrop: node.access.isDrop,
  };
  return uploadContent(form, uploaded, linkTexts(visit.language));
}

/** The requested part of a folder, or the nearest existing one. */
function partIn({ query }: LinkVisit, entries: number): { readonly number: number; readonly count: number } {
  const count = Math.max(1, Math.ceil(entries / ENTRIES_OF_PART));
  const asked = /^[1-9]\d{0,5}$/.test(textOf(query.part)) ? Number(query.part) : 1;
  return { number: Math.min(asked, count), count };
}

function entryOf(node: VisibleNode, addresses: LinkAddresses): LinkEntry {
  const { name, kind, size, mimetype, mtime } = node.row;
  const about = { name, kind, size, mimetype, mtime };
  if (kind === 'folder') return { ...about, href: addresses.page(node.path), preview: undefined };
  if (!node.access.may('download')) return { ...about, href: undefined, preview: undefined };
  return { ...about, href: addresses.content(node), preview: addresses.preview(node) };
}

function foldersFirst(one: VisibleNode, other: VisibleNode): number {
  return Number(other.row.kind === 'folder') - Number(one.row.kind === 'folder');
}

const viewIn = ({ query }: LinkVisit): LinkView => (query.view === 'tiles' ? 'tiles' : 'list');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
