; Definitions
(package_header (identifier) @name) @definition.namespace
(class_declaration "interface" (type_identifier) @name (class_body)? @body) @definition.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body)? @body) @definition.enum
(class_declaration "class" (type_identifier) @name (class_body)? @body) @definition.class
(object_declaration (type_identifier) @name (class_body)? @body) @definition.class
(enum_entry (simple_identifier) @name) @definition.enum_member
(function_declaration (simple_identifier) @name (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name) @definition.method
(type_alias . (type_identifier) @name) @definition.type
(class_parameter (binding_pattern_kind) (simple_identifier) @name) @definition.property
(property_declaration (modifiers (property_modifier) @_const) (variable_declaration (simple_identifier) @name) (#eq? @_const "const")) @definition.constant
(source_file (property_declaration (variable_declaration (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration (variable_declaration (simple_identifier) @name)) @definition.property)
(companion_object (class_body (property_declaration (variable_declaration (simple_identifier) @name)) @definition.property))

; Local names
(parameter (simple_identifier) @local)
(class_parameter (simple_identifier) @local)
(variable_declaration (simple_identifier) @local)
[(function_declaration) (class_declaration) (lambda_literal) (anonymous_function) (control_structure_body) (for_statement)] @scope

; Imports
(import_header (identifier (simple_identifier) @import.name .) @import.source (import_alias (type_identifier) @import.alias))
(import_header (identifier (simple_identifier) @import.name .) @import.source .)
(import_header (identifier) @import.source (wildcard_import) @import.all)

; References
(call_expression . (simple_identifier) @name) @reference.call
(call_expression . (navigation_expression . (_) @receiver (navigation_suffix (simple_identifier) @name))) @reference.call
(class_declaration (delegation_specifier (constructor_invocation (user_type (type_identifier) @name)))) @reference.extends
(class_declaration (delegation_specifier (user_type (type_identifier) @name))) @reference.implements
(object_declaration (delegation_specifier [(constructor_invocation (user_type (type_identifier) @name)) (user_type (type_identifier) @name)])) @reference.extends
(user_type (type_identifier) @name) @reference.usage
(value_argument (simple_identifier) @name) @reference.usage
