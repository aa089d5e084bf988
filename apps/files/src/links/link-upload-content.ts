import { markup, type Html } from '#pages';
import { sizeText } from './link-formats';
import type { LinkTexts } from './link-texts';
import type { LinkUpload } from './link-uploads';

/** A form for files. Scripts send them to `endpoint` by TUS instead, with `signature` in a header. */
export interface UploadForm {
  readonly action: string;
  readonly endpoint: string;
  readonly signature: string;
  /** Whether visitors cannot see the files of others. */
  readonly isDrop: boolean;
}

export function uploadContent(
  { action, endpoint, signature, isDrop }: UploadForm,
  uploaded: readonly LinkUpload[],
  texts: LinkTexts,
): Html {
  return markup`<section id="upload" aria-labelledby="upload-title" data-endpoint="${endpoint}" data-signature="${signature}"
 data-drop="${String(isDrop)}"><h2 id="upload-title">${texts.upload}</h2>
<form method="post" enctype="multipart/form-data" action="${action}"><p class="buttons"><label>${texts.files}
<input type="file" name="file" multiple required></label> <button class="main">${texts.send}</button></p></form>
${uploadedContent(uploaded, texts)}</section>
`;
}

function uploadedContent(uploaded: readonly LinkUpload[], texts: LinkTexts): Html {
  if (uploaded.length === 0) return markup``;
  const items = uploaded.map(({ name, size }) => markup`<li>${name}, ${sizeText(size, texts)}</li>`);
  return markup`<div role="status"><p>${texts.uploaded}</p><ul>${items}</ul></div>`;
}
