/** Texts about files that wait to be written into folders of partners. */
export const storedWrites = {
  title: 'Waiting for other organisations',
  about:
    'Files that you wrote into folders of other organisations, and that their servers do not have yet. They are delivered by themselves.',
  share: 'Folder',
  at: '{share} at {partner}',
  state: {
    waiting: 'waits; next attempt: {next}',
    'under-way': 'is being delivered',
    'given-up': 'was given up, and becomes a file of yours',
    refused: 'was refused, and becomes a file of yours as soon as there is room for it',
  },
  retry: 'Try now',
  retryOne: 'Try now: {path}',
  giveUp: 'Give up',
  giveUpOne: 'Give up: {path}',
  consequence:
    'The other server does not get it any more. It becomes a file among your own files, and a notification says where it is.',
};
