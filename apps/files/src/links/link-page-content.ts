import { markup, type Html } from '#pages';
import { sizeText, timeContent } from './link-formats';
import type { LinkTexts } from './link-texts';
import type { SaveOutcome } from './save-outcome';

/** A file or folder on a page. */
export interface LinkEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder';
  readonly mimetype: string;
  /** In bytes; for a folder, those of everything in it. */
  readonly size: number;
  readonly mtime: Date;
  /** undefined for a file whose content may not be read. */
  readonly href: string | undefined;
  /** Address of a preview; undefined for none. */
  readonly preview: string | undefined;
}

export function fileContent(entry: LinkEntry, texts: LinkTexts): Html {
  const { href, size, mtime, preview } = entry;
  const picture =
    preview === undefined ? markup`` : markup`<p><img class="preview" src="${preview}" alt=""></p>`;
  const download =
    href === undefined
      ? viewOnlyContent(texts)
      : markup`<p><a ${opens(entry)}href="${href}">${texts.download}</a></p>`;
  return markup`<p>${sizeText(size, texts)}, ${timeContent(mtime, texts)}</p>
${picture}${download}`;
}

const viewOnlyContent = (texts: LinkTexts): Html => markup`<p>${texts.viewOnly}</p>`;

/** Type of a file for the viewers, which scripts open instead of a download. */
const opens = ({ kind, mimetype, name }: LinkEntry): Html =>
  kind === 'file' ? markup`data-view="${mimetype}" data-name="${name}" ` : markup``;

function nameContent(entry: LinkEntry): Html {
  const { name, kind, href } = entry;
  const shown = `${name}${kind === 'folder' ? '/' : ''}`;
  return href === undefined ? markup`${shown}` : markup`<a ${opens(entry)}href="${href}">${shown}</a>`;
}

/** The other parts of a folder's page. */
export interface FolderSurroundings {
  /** Address of the folder above; undefined for the shared folder itself. */
  readonly parent: string | undefined;
  /** Address for a form that downloads the folder, or the chosen entries of it, as one file; undefined if that is not allowed. */
  readonly archive: string | undefined;
  /** Bytes of everything in it. */
  readonly size: number;
  /** Number of this part of a long folder, number of all parts, and the addresses of the neighbouring parts. */
  readonly part: {
    readonly number: number;
    readonly count: number;
    readonly before: string | undefined;
    readonly next: string | undefined;
  };
  readonly view: 'list' | 'tiles';
  /** Address of the page in the other view. */
  readonly otherView: string;
}

export function folderContent(
  entries: readonly LinkEntry[],
  around: FolderSurroundings,
  texts: LinkTexts,
): Html {
  const { parent, archive, view, otherView } = around;
  const up = parent === undefined ? markup`` : markup`<p><a href="${parent}">${texts.up}</a></p>`;
  const more = partsContent(around.part, texts);
  if (entries.length === 0) return markup`${up}<div id="entries"><p>${texts.empty}</p></div>`;
  const show = view === 'tiles' ? tilesContent : listContent;
  const list = show(entries, archive !== undefined, texts);
  const other = markup`<p><a href="${otherView}">${view === 'tiles' ? texts.asList : texts.asTiles}</a></p>`;
  if (archive === undefined) return markup`${up}<div id="entries">${list}${more}</div>${other}`;
  // The names of many entries are longer than an address may be, so they are sent in the body.
  const form = markup`<form method="post" action="${archive}">`;
  return markup`${up}<div id="entries">${form}${list}${more}
<p class="buttons"><button class="chosen">${texts.downloadChosen}</button></p></form>
${form}<p><button>${texts.downloadAll(sizeText(around.size, texts))}</button></p></form></div>${other}`;
}

function partsContent({ number, count, before, next }: FolderSurroundings['part'], texts: LinkTexts): Html {
  if (count < 2) return markup``;
  const to = (href: string | undefined, text: string): Html =>
    href === undefined ? markup`` : markup` <a href="${href}">${text}</a>`;
  return markup`<nav class="parts" aria-label="${texts.parts}"><p>${texts.part(number, count)}${to(before, texts.partBefore)}${to(next, texts.nextPart)}</p></nav>`;
}

const hiddenFields = (fields: Readonly<Record<string, string>>): Html[] =>
  Object.entries(fields).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
  );

const choiceContent = ({ name, size }: LinkEntry, texts: LinkTexts): Html =>
  markup`<input type="checkbox" name="files[]" value="${name}" data-bytes="${size}" aria-label="${texts.chooseOne(name)}">`;

function listContent(entries: readonly LinkEntry[], canChoose: boolean, texts: LinkTexts): Html {
  const rows = entries.map(
    (entry) => markup`<tr>${canChoose ? markup`<td>${choiceContent(entry, texts)}</td>` : markup``}
<th scope="row">${nameContent(entry)}</th><td class="number">${sizeText(entry.size, texts)}</td>
<td class="when">${timeContent(entry.mtime, texts)}</td></tr>
`,
  );
  const choice = canChoose ? markup`<th scope="col">${texts.choose}</th>` : markup``;
  return markup`<table><thead><tr>${choice}<th scope="col">${texts.name}</th><th scope="col" class="number">${texts.size}</th>
<th scope="col" class="when">${texts.changed}</th></tr></thead><tbody>
${rows}</tbody></table>`;
}

function tilesContent(entries: readonly LinkEntry[], canChoose: boolean, texts: LinkTexts): Html {
  const tiles = entries.map(
    (entry) => markup`<li><div class="picture">${pictureContent(entry)}</div>
<p>${canChoose ? choiceContent(entry, texts) : markup``} ${nameContent(entry)}</p>
<p class="hint">${sizeText(entry.size, texts)}, ${timeContent(entry.mtime, texts)}</p></li>
`,
  );
  return markup`<ul class="tiles" aria-label="${texts.entries}">
${tiles}</ul>`;
}

function pictureContent({ preview, kind }: LinkEntry): Html {
  if (preview !== undefined) return markup`<img src="${preview}" alt="" loading="lazy">`;
  return markup`<span aria-hidden="true">${kind === 'folder' ? '📁' : '📄'}</span>`;
}

/** Owner of the contents, expiry, and note. */
export function aboutContent(
  owner: string,
  { expiresOn: lastDay, note }: { readonly expiresOn: string | null; readonly note: string | null },
  texts: LinkTexts,
): Html {
  const day = (date: string): Html =>
    markup` · ${texts.until(new Intl.DateTimeFormat(texts.locale, { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(date)))}`;
  return markup`<p class="about">${texts.sharedBy(owner)}${lastDay === null ? markup`` : day(lastDay)}</p>
${
  note === null
    ? markup``
    : markup`<p class="note"><strong>${texts.note}</strong> ${note}</p>
`
}`;
}

/** A folder that accepts uploads and shows nothing. */
export function dropContent(address: string, texts: LinkTexts): Html {
  return markup`<p>${texts.drop}</p>
<p>${texts.webdav} <code>${address}</code>: <code>curl -T FILE ${address}</code></p>`;
}

/** Further fields of the form that saves a link at another server. */
export interface SaveForm {
  readonly action: string;
  readonly token: string;
  readonly signature: { readonly signature: string; readonly expires: string } | undefined;
  /** Result of the last attempt to save it. */
  readonly outcome: SaveOutcome | undefined;
  /** Refused address, which the form shows again; empty for none. */
  readonly cloudId: string;
}

export function saveContent(
  { action, token, signature, outcome, cloudId }: SaveForm,
  texts: LinkTexts,
): Html {
  return markup`<section aria-labelledby="save"><h2 id="save">${texts.addToServer}</h2>${outcomeText(outcome, texts)}
<form method="post" action="${action}"><p class="buttons"><label>${texts.cloudId}
<input name="shareWith" required placeholder="you@cloud.example.org" value="${cloudId}"></label>${hiddenFields({ token, ...signature })}
<button>${texts.add}</button></p></form></section>`;
}

function outcomeText(outcome: SaveForm['outcome'], texts: LinkTexts): Html {
  if (outcome === undefined) return markup``;
  return markup`<p role="status"><strong>${texts.saving[outcome]}</strong></p>`;
}

/** @param action address of the page to open @param fault the reason why the password is needed again */
export function passwordContent(action: string, fault: string | undefined, texts: LinkTexts): Html {
  const alert = fault === undefined ? markup`` : markup`<p role="alert"><strong>${fault}</strong></p>`;
  return markup`${alert}
<form method="post" action="${action}"><p><label>${texts.password} <input type="password" name="password" required autofocus></label>
<button class="main">${texts.open}</button></p></form>`;
}
