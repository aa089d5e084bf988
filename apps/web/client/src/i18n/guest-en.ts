/** Texts for visitors of public links, beside those of the server. */
export const guest = {
  drop: 'Or drop files and folders on this page.',
  own: 'You have uploaded',
  needsPassword:
    'This page was open for too long. Open it again and enter the password, then choose the files again.',
  reload: 'Open the page again',
  downloadChosen: 'Download what is chosen as ZIP ({count}: {size})',
};
