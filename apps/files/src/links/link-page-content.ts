import { markup, type Html } from '../pages/html';

/** A file or folder on a page. */
export interface LinkEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder';
  /** Bytes. */
  readonly size: number;
  /** undefined for a file whose content may not be had. */
  readonly href: string | undefined;
}

export function fileContent({ href, size }: LinkEntry): Html {
  const download = href === undefined ? viewOnlyContent() : markup`<p><a href="${href}">Download</a></p>`;
  return markup`<p>${sizeText(size)}</p>
${download}`;
}

function nameContent({ name, kind, href }: LinkEntry): Html {
  const shown = `${name}${kind === 'folder' ? '/' : ''}`;
  return href === undefined ? markup`${shown}` : markup`<a href="${href}">${shown}</a>`;
}

export function viewOnlyContent(): Html {
  return markup`<p>This is shared in view-only mode: it cannot be downloaded.</p>`;
}

/** @param parent address of the folder above; undefined on the shared folder itself */
export function folderContent(entries: readonly LinkEntry[], parent: string | undefined, left: number): Html {
  const rows = entries.map(
    (entry) =>
      markup`<tr><td>${nameContent(entry)}</td><td>${sizeText(entry.size)}</td></tr>
`,
  );
  const up = parent === undefined ? markup`` : markup`<p><a href="${parent}">One folder up</a></p>`;
  const more = left === 0 ? markup`` : markup`<p>And ${left} more, which a WebDAV client shows.</p>`;
  const none = entries.length === 0 ? markup`<p>This folder is empty.</p>` : markup``;
  return markup`${up}<table>
${rows}</table>${none}${more}`;
}

/** A folder that takes uploads and shows nothing; pages have no scripts, so a client has to send them. */
export function dropContent(address: string): Html {
  return markup`<p>Files can be put into this folder, and nobody who has the link sees what is in it.</p>
<p>Its WebDAV address is <code>${address}</code>, for example: <code>curl -T FILE ${address}</code></p>`;
}

/** Fields that the form for saving a link at another server sends beside the address of the account. */
export interface SaveForm {
  readonly action: string;
  readonly token: string;
  readonly signature: { readonly signature: string; readonly expires: string } | undefined;
  /** Outcome of the last attempt to save it. */
  readonly outcome: 'saved' | 'refused' | undefined;
}

export function saveContent({ action, token, signature, outcome }: SaveForm): Html {
  const hidden = Object.entries({ token, ...signature }).map(
    ([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`,
  );
  return markup`${saidOf(outcome)}
<form method="post" action="${action}"><p><label>Add to your server
<input name="shareWith" required placeholder="you@cloud.example.org"></label>${hidden} <button>Add</button></p></form>`;
}

function saidOf(outcome: SaveForm['outcome']): Html {
  if (outcome === undefined) return markup``;
  return outcome === 'saved'
    ? markup`<p><strong>It was offered to your account: accept it at your server.</strong></p>`
    : markup`<p><strong>It could not be added there. Is the address right?</strong></p>`;
}

export function passwordContent(wasWrong: boolean): Html {
  return markup`${wasWrong ? markup`<p><strong>The password was not right.</strong></p>` : markup``}
<form method="post"><p><label>Password <input type="password" name="password" required autofocus></label>
<button>Open</button></p></form>`;
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `1.5 MB`, in powers of 1000. */
function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 999.95 && unit < UNITS.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}
