import type { Difference } from './describe-shapes';
import { AS_ENFORCED, NOT_ANNOUNCED, WITH_NOTIFICATIONS } from './capability-differences';
import { describeShapes } from './describe-shapes';

const UNKNOWN_ROUTE: Difference = {
  because: 'an unknown route of version 2 is a 404: there is nothing wrong with the server',
  expected: (recorded) => ({
    ...recorded,
    status: 404,
    body: recorded.body.replace(/(statuscode[>"]:?)500/, '$1404'),
  }),
};

describeShapes('basic', {
  before: {
    'maintenance.capabilities.v1.json': (world) =>
      world.administer('POST', '/apps/provisioning_api/api/v1/config/apps/system/maintenance', {
        value: 'yes',
      }),
  },
  passwords: {
    'capabilities.wrongpw.v1.json': 'not-her-password',
    'capabilities.wrongpw.v2.json': 'not-her-password',
  },
  differences: (name) => {
    if (/^unknown-(app-)?route\.v2/.test(name)) return [UNKNOWN_ROUTE];
    if (/^capabilities\.(auth|default|accept)/.test(name))
      return [NOT_ANNOUNCED, AS_ENFORCED, WITH_NOTIFICATIONS];
    return [];
  },
});
