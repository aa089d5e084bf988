export {
  envelopeFrame,
  renderEnvelope,
  type Envelope,
  type EnvelopeFrame,
  type OcsFormat,
  type OcsStyle,
  type RenderedEnvelope,
} from './envelope';
export {
  anything,
  digits,
  integer,
  needed,
  ParameterRefused,
  readInput,
  single,
  switched,
  text,
  texts,
  type InputField,
  type InputFields,
  type InputOf,
} from './input-fields';
export { jsonOf } from './json-writer';
export {
  leadingInteger,
  OcsParameters,
  readForm,
  readJsonObject,
  ParametersRefused,
  type ParameterMap,
  type ParameterValue,
} from './parameters';
export { OCS, statusOf, type OcsVersion } from './status';
export { isStreamed, type OcsData, type OcsValue, type RenderedData, type StreamedData } from './value';
export { writeXml, xmlText } from './xml-writer';
