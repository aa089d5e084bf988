import { describeShapes } from './describe-shapes';

describeShapes('sharees', {
  given: async (world) => {
    await world.administer('POST', '/cloud/groups', { groupid: 'grp1' });
  },
});
