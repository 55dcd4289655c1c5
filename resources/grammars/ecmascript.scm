; Shared by JavaScript, TypeScript, JSX and TSX; commonjs.scm has what texts without its words do not need.

; Definitions
(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
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
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @name) right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)] (#not-any-of? @owner "module" "exports")) @definition.function

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
