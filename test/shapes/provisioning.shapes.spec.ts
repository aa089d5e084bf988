import { describeShapes, type Difference } from './describe-shapes';

const OWN_APPS: Difference = {
  because: 'the apps are those of this server',
  expected: (recorded) => ({
    ...recorded,
    body: recorded.body.replace(
      /"apps":\[[^\]]*\]/,
      '"apps":["dav","files","files_sharing","provisioning_api"]',
    ),
  }),
};

describeShapes('provisioning', {
  before: {
    'users.list.search.v1.json': async (world) => {
      await world.addToGroup('alice', 'grp1');
      await world.addToGroup('carol', 'grp1');
    },
  },
  differences: (name) => (name.startsWith('apps.list') ? [OWN_APPS] : []),
});
