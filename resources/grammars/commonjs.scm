; For JavaScript and TypeScript with `require`, `exports` or `prototype` (languages.ts).

; Definitions
(assignment_expression left: (member_expression) @_exports right: [(class name: (_) @name body: (_) @body) @definition.class (function_expression name: (identifier) @name body: (_) @body) @definition.function] (#match? @_exports "^(module\\.)?exports(\\.|$)"))
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @owner property: (property_identifier) @_prototype (#eq? @_prototype "prototype")) property: (property_identifier) @name) right: (function_expression body: (_) @body)) @definition.method
(assignment_expression left: (member_expression object: [(identifier) (member_expression)] @_exports property: (property_identifier) @name) right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)] (#match? @_exports "^(module\\.)?exports$")) @definition.function @exported

; Imports and exports
(variable_declarator name: (identifier) @import.namespace value: (call_expression function: (identifier) @_require arguments: (arguments (string (string_fragment) @import.source))) (#eq? @_require "require"))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name) value: (call_expression function: (identifier) @_require arguments: (arguments (string (string_fragment) @import.source))) (#eq? @_require "require"))
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias)) value: (call_expression function: (identifier) @_require arguments: (arguments (string (string_fragment) @import.source))) (#eq? @_require "require"))
; The value assigned to `module.exports` is exported as `exports`: it is the whole module in `require`.
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @export.alias) right: [(identifier) @export.name (class name: (_) @export.name) (function_expression name: (identifier) @export.name)] (#eq? @_module "module") (#eq? @export.alias "exports"))
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports) right: (object [(shorthand_property_identifier) @export.name (pair key: (property_identifier) @export.alias value: (identifier) @export.name)]) (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression left: (member_expression object: [(identifier) (member_expression)] @_exports property: (property_identifier) @export.alias) right: (identifier) @export.name (#match? @_exports "^(module\\.)?exports$"))
