; Shared by JavaScript, TypeScript, JSX and TSX.

; Definitions
(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(assignment_expression left: (member_expression) @_exports right: [(class name: (_) @name body: (_) @body) @definition.class (function_expression name: (identifier) @name body: (_) @body) @definition.function] (#match? @_exports "^(module\\.)?exports(\\.|$)"))
(method_definition name: (_) @name) @definition.method
(variable_declarator name: (identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]) @definition.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class
(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant))
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @definition.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(program (export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant) @exported))
(program (export_statement (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @definition.variable) @exported))
(program (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable) @exported))
(program (lexical_declaration (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name @definition.variable))))
(program (lexical_declaration (variable_declarator value: (object (pair key: (property_identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method))))
(program (export_statement (lexical_declaration (variable_declarator value: (object (pair key: (property_identifier) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)))))
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @owner property: (property_identifier) @_prototype (#eq? @_prototype "prototype")) property: (property_identifier) @name) right: (function_expression body: (_) @body)) @definition.method
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @name) right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)] (#not-any-of? @owner "module" "exports")) @definition.function
(assignment_expression left: (member_expression object: [(identifier) (member_expression)] @_exports property: (property_identifier) @name) right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)] (#match? @_exports "^(module\\.)?exports$")) @definition.function @exported

; Local names
(arrow_function parameter: (identifier) @local)
(variable_declarator name: (identifier) @local)
(object_pattern (shorthand_property_identifier_pattern) @local)
(object_pattern (pair_pattern value: (identifier) @local))
(object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @local))
(array_pattern (identifier) @local)
(rest_pattern (identifier) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local)
[(function_declaration) (generator_function_declaration) (function_expression) (generator_function) (arrow_function) (method_definition) (statement_block) (for_statement) (for_in_statement) (catch_clause) (class_static_block)] @scope

(variable_declarator name: (identifier) @local value: (_) @local.value)
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @local @local.member) value: (_) @local.value)
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @local.key @local.member value: (identifier) @local)) value: (_) @local.value)

; Imports and exports
(import_statement (import_clause (identifier) @import.default) source: (string (string_fragment) @import.source))
(import_statement (import_clause (namespace_import (identifier) @import.namespace)) source: (string (string_fragment) @import.source))
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_)? @import.alias))) source: (string (string_fragment) @import.source))
(variable_declarator name: (identifier) @import.namespace value: (call_expression function: (identifier) @_require arguments: (arguments (string (string_fragment) @import.source))) (#eq? @_require "require"))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name) value: (call_expression function: (identifier) @_require arguments: (arguments (string (string_fragment) @import.source))) (#eq? @_require "require"))
(variable_declarator name: (object_pattern (pair_pattern key: (property_identifier) @import.name value: (identifier) @import.alias)) value: (call_expression function: (identifier) @_require arguments: (arguments (string (string_fragment) @import.source))) (#eq? @_require "require"))
; The value assigned to `module.exports` is exported as `exports`: it is the whole module in `require`.
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @export.alias) right: [(identifier) @export.name (class name: (_) @export.name) (function_expression name: (identifier) @export.name)] (#eq? @_module "module") (#eq? @export.alias "exports"))
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports) right: (object [(shorthand_property_identifier) @export.name (pair key: (property_identifier) @export.alias value: (identifier) @export.name)]) (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression left: (member_expression object: [(identifier) (member_expression)] @_exports property: (property_identifier) @export.alias) right: (identifier) @export.name (#match? @_exports "^(module\\.)?exports$"))
(export_statement (export_clause (export_specifier name: (_) @export.name alias: (_)? @export.alias)) source: (string (string_fragment) @import.source))
(export_statement (export_clause (export_specifier name: (_) @export.name alias: (_)? @export.alias)) !source)
(export_statement (namespace_export (_) @export.namespace) source: (string (string_fragment) @import.source))
(export_statement "*" @export.all source: (string (string_fragment) @import.source))
(export_statement "default" declaration: (_ name: (_) @export.default))
(export_statement "default" value: (identifier) @export.default)

; References
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (member_expression object: (_) @receiver property: [(property_identifier) (private_property_identifier)] @name)) @reference.call
(new_expression constructor: (identifier) @name) @reference.call
(new_expression constructor: (member_expression object: (_) @receiver property: [(property_identifier) (private_property_identifier)] @name)) @reference.call
(arguments (identifier) @name @reference.usage)
(variable_declarator value: (identifier) @name @reference.usage)
(pair value: (identifier) @name @reference.usage)
(shorthand_property_identifier) @name @reference.usage
(spread_element (identifier) @name @reference.usage)
(array (identifier) @name @reference.usage)
(return_statement (identifier) @name @reference.usage)
(arrow_function body: (identifier) @name @reference.usage)
(member_expression object: (identifier) @name @reference.usage)
(member_expression object: (_) @receiver property: [(property_identifier) (private_property_identifier)] @name) @reference.usage
(binary_expression (identifier) @name @reference.usage)
(assignment_expression (identifier) @name @reference.usage)
(ternary_expression (identifier) @name @reference.usage)
(unary_expression (identifier) @name @reference.usage)
(subscript_expression (identifier) @name @reference.usage)
(template_substitution (identifier) @name @reference.usage)
(parenthesized_expression (identifier) @name @reference.usage)
