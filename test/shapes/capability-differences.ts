import type { Difference } from './describe-shapes';
import { without } from './pruning';

/** Flags of capabilities whose features do not exist here. */
const SWITCHED_OFF = ['roles_api'].join('|');
const JSON_FLAG = new RegExp(`"(${SWITCHED_OFF})":true`, 'g');
const XML_FLAG = new RegExp(`<(${SWITCHED_OFF})>1</`, 'g');

/** Places of capabilities that have no meaning without their feature. */
const LEFT_OUT = ['files.app_providers'].map((path) => `capabilities.${path}`);

/** Features that do not exist here. */
export const NOT_ANNOUNCED: Difference = {
  because: 'features that do not work are not announced',
  expected: (recorded) => {
    const { body, ...rest } = without(recorded, ({ path }) => LEFT_OUT.includes(path.join('.')));
    const announced = body.replace(JSON_FLAG, '"$1":false').replace(XML_FLAG, '<$1></');
    return { ...rest, body: announced };
  },
};

/** Limits on recipients that are off. */
export const AS_ENFORCED: Difference = {
  because: 'the recorded server announced limits on recipients that it did not enforce',
  expected: (recorded) => ({
    ...recorded,
    body: recorded.body
      .replace(/"(share_with_(?:group_members|membership_groups)_only)":true/g, '"$1":false')
      .replace(/<(share_with_(?:group_members|membership_groups)_only)>1</g, '<$1><'),
  }),
};

const NOTIFICATIONS_JSON = ',"notifications":{"ocs-endpoints":["list","get","delete"]}';
const NOTIFICATIONS_XML = [
  ...['   <notifications>', '    <ocs-endpoints>'],
  ...['list', 'get', 'delete'].map((name) => `     <element>${name}</element>`),
  ...['    </ocs-endpoints>', '   </notifications>', ''],
].join('\n');

const PUSHES_JSON =
  ',"notify_push":{"type":["files","activities","notifications"],"endpoints":{"websocket":"*"}}';
const PUSHES_XML = [
  ...['   <notify_push>', '    <type>'],
  ...['files', 'activities', 'notifications'].map((name) => `     <element>${name}</element>`),
  ...['    </type>', '    <endpoints>', '     <websocket>*</websocket>', '    </endpoints>'],
  ...['   </notify_push>', ''],
].join('\n');

export const WITH_NOTIFICATIONS: Difference = {
  because: 'the recorded server had no apps for notifications and pushes',
  expected: (recorded) => ({
    ...recorded,
    body: recorded.body
      .replace(/(?=\}\}\}\}$)/, NOTIFICATIONS_JSON + PUSHES_JSON)
      .replace(/(?=^ {2}<\/capabilities>$)/m, NOTIFICATIONS_XML + PUSHES_XML),
  }),
};
