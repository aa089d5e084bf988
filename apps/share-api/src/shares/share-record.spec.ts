import type { ShareView } from '#sharing';
import { shareRecords } from './share-record';

const viewOf = (id: number): ShareView => ({
  share: {
    type: 0,
    id,
    initiatorUid: 'alice',
    recipientUid: 'bob',
    personal: undefined,
    node: {
      nodeId: id,
      kind: 'file',
      name: `${id}.txt`,
      ownerPath: `/a/${id}.txt`,
      ownerUid: 'alice',
      mimetype: 'text/plain',
      storageId: 1,
    },
  } as unknown as ShareView['share'],
  permissions: 19,
  state: undefined,
  path: `/a/${id}.txt`,
  mountTarget: null,
  parentId: 1,
  fileTarget: `/${id}.txt`,
});
const CONTEXT = { accounts: new Map(), additionalInfo: '', publicUrl: 'https://gateway.example' } as const;

it.each([0, 1, 100, 101, 250])(
  'a list of %i shares is one JSON list with all of them in their order',
  (count) => {
    const views = Array.from({ length: count }, (_, index) => viewOf(index + 1));
    const list = JSON.parse(shareRecords(views, CONTEXT).toJson()) as { id: string; path: string }[];
    expect(list.map(({ id, path }) => `${id} ${path}`)).toEqual(
      views.map(({ share, path }) => `${share.id} ${path}`),
    );
  },
);
